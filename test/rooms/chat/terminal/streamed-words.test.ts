import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { openStreamedWords } from '../../../../src/rooms/chat/terminal/streamed-words.ts';
import type { ChatMessage } from '../../../../src/core/schema/chat-answers.ts';

const message = (content: string, run = 'chat-m-oka'): ChatMessage => ({
  id: '01jd3k5m7xyz',
  at: '2026-01-01T00:00:00.000Z',
  from: 'oka',
  kind: 'agent',
  content,
  depth: 0,
  chain: '01jd3k5m7xya',
  run,
});
const about = { agent: 'oka', run: 'chat-m-oka', step: 'reply' };

it('however an answer is cut, it is printed once and completely, below one title', () => {
  const texts = fc.string({
    unit: fc.constantFrom('a', 'word ', ' ', '漢', '\n', 'end.'),
    minLength: 1,
    maxLength: 80,
  });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 9 }), fc.boolean(), (given, size, isEnded) => {
      const content = `Hi ${given}`.trimEnd();
      const words = openStreamedWords((agent) => `[${agent}]\n`);
      let printed = '';
      for (let at = 0; at < content.length; at += size)
        printed += words.add({ ...about, text: content.slice(at, at + size) }, 20);
      if (isEnded) printed += words.add({ ...about, text: '\n' }, 20) + words.add({ ...about, end: true }, 20);
      printed += words.settle(message(content));
      expect(printed.replaceAll(/\s+/g, '')).toBe(`[oka]${content.replaceAll(/\s+/g, '')}`);
      expect(printed.endsWith('\n\n')).toBe(true);
      expect(words.lineInProgress()).toBe('');
    }),
  );
});

it('an answer whose stream lacks something is printed again as it is, and one that nobody streamed is printed whole', () => {
  const words = openStreamedWords((agent) => `[${agent}]\n`);
  expect(words.add({ ...about, text: 'the middle of\nit' }, 80)).toBe('[oka]\nthe middle of\n');
  expect(words.settle(message('All of it.'))).toBe('it\nAll of it.\n\n');
  expect(words.settle(message('Short.', 'chat-n-arya'))).toBe('[oka]\nShort.\n\n');
});

it('what is printed meanwhile begins on a line of its own, and the rest of the answer goes on behind it', () => {
  const words = openStreamedWords((agent) => `[${agent}]\n`);
  words.add({ ...about, text: 'One ' }, 80);
  expect(words.flush()).toBe('One\n');
  words.add({ ...about, text: 'two.' }, 80);
  expect(words.settle(message('One two.'))).toBe('two.\n\n');
});

it('an answer that was streamed completely is not printed again when its message is read late', () => {
  const words = openStreamedWords((agent) => `[${agent}]\n`);
  words.add({ ...about, text: 'First.\n' }, 80);
  words.add({ ...about, end: true }, 80);
  const next = { ...about, run: 'chat-n-oka' };
  expect(words.add({ ...next, text: 'Second ' }, 80)).toBe('\n[oka]\n');
  expect(words.settle(message('First.'))).toBe('');
  expect(words.settle(message('Second one.', next.run))).toBe('Second one.\n\n');
});

it('an answer is being written from its first word until its turn is over or its message is there', () => {
  const words = openStreamedWords((agent) => `[${agent}]\n`);
  expect(words.isWriting()).toBe(false);
  words.add({ ...about, text: 'I am thinking ' }, 20);
  expect(words.isWriting()).toBe(true);
  words.add({ ...about, end: true }, 20);
  expect(words.isWriting()).toBe(false);
  words.add({ ...about, text: 'about it' }, 20);
  expect(words.isWriting()).toBe(true);
  words.settle(message('about it'));
  expect(words.isWriting()).toBe(false);
});
