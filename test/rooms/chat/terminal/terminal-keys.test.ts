import { expect, it } from 'vitest';
import { openKeyReader } from '../../../../src/rooms/chat/terminal/terminal-keys.ts';

it('text, control keys and sequences are told apart, also when a sequence comes in parts', () => {
  const reader = openKeyReader();
  expect(reader.read('hé漢\u0003\u001B[')).toEqual([
    { kind: 'text', text: 'hé漢' },
    { kind: 'key', name: 'interrupt' },
  ]);
  expect(reader.isPending()).toBe(true);
  expect(reader.read('1;5Dx\r')).toEqual([
    { kind: 'key', name: 'word-left' },
    { kind: 'text', text: 'x' },
    { kind: 'key', name: 'enter' },
  ]);
  expect(reader.read('\u001B\r\u001B[99;99~y')).toEqual([
    { kind: 'key', name: 'newline' },
    { kind: 'text', text: 'y' },
  ]);
});

it('a pasted text of 10,000 lines is one key however it is cut, and nothing in it is a key', () => {
  const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at} \u0003`).join('\r');
  const bytes = `a\u001B[200~${lines}\u001B[201~b`;
  for (const size of [1, 7, 4096, bytes.length]) {
    const reader = openKeyReader();
    const keys = [];
    for (let at = 0; at < bytes.length; at += size) keys.push(...reader.read(bytes.slice(at, at + size)));
    expect(keys.map(({ kind }) => kind)).toEqual(['text', 'paste', 'text']);
    expect(keys[1]).toEqual({ kind: 'paste', text: lines.replaceAll('\r', '\n') });
  }
});

it('an escape that nothing follows is dropped, so that the next letter is a letter', () => {
  const reader = openKeyReader();
  reader.read('\u001B');
  reader.drop();
  expect(reader.read('b')).toEqual([{ kind: 'text', text: 'b' }]);
});
