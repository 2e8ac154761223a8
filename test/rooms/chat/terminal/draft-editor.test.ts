import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Draft,
  draftOf,
  draftText,
  editDraft,
  emptyDraft,
  layOutDraft,
} from '../../../../src/rooms/chat/terminal/draft-editor.ts';
import { openKeyReader } from '../../../../src/rooms/chat/terminal/terminal-keys.ts';
import { textWidth, wrapColumns } from '../../../../src/rooms/chat/terminal/text-width.ts';
import { terminalText } from '../../../../src/rooms/chat/terminal/terminal-text.ts';

const type = (draft: Draft, bytes: string): Draft => openKeyReader().read(bytes).reduce(editDraft, draft);

it.each([
  ['ab\u001B[Dc', 'acb'],
  ['one two\u0017three', 'one three'],
  ['one two\u0001\u001Bf!', 'one! two'],
  ['abc\u0002\u0002\u000B', 'a'],
  ['e\u0301\u007Fx', 'x'],
  ['👨‍👩‍👧漢\u007F\u007Fok', 'ok'],
  ['first\u001B\rsecond\u001B[A!', 'first!\nsecond'],
])('keys edit what a person sees as characters: %j becomes %j', (bytes, text) => {
  expect(draftText(type(emptyDraft, bytes))).toBe(text);
});

it('a large paste is shown in a few words, removed by one key, and sent as it is', () => {
  const lines = `${'line\n'.repeat(9_999)}last`;
  const draft = type(emptyDraft, `see \u001B[200~${lines}\u001B[201~!`);
  expect(layOutDraft(draft, '> ', 80, 10).rows).toEqual(['> see [pasted 10,000 lines]!']);
  expect(draftText(draft)).toBe(`see ${lines}!`);
  expect(draftText(type(draft, '\u007F\u007F'))).toBe('see ');
});

it('no row is wider than the terminal, and the cursor is inside of it, for any text and width', () => {
  const texts = fc.array(fc.constantFrom('a', ' ', '漢', '👍', '\n', 'é', '한'), { maxLength: 60 });
  fc.assert(
    fc.property(
      texts,
      fc.integer({ min: 6, max: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(),
      (cells, width, most, at) => {
        const draft = { ...draftOf(cells.join('')), cursor: at % (cells.length + 1) };
        const { rows, cursor } = layOutDraft(draft, '> ', width, most);
        expect(rows.length).toBeLessThanOrEqual(most);
        for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(width);
        expect(cursor.row).toBeLessThan(rows.length);
        expect(cursor.column).toBeLessThanOrEqual(width);
      },
    ),
  );
});

it('a wide character that does not fit begins the next row', () => {
  expect(wrapColumns('漢漢漢', 5)).toEqual(['漢漢', '漢']);
  expect(textWidth('漢👍e\u0301')).toBe(5);
});

it('text of a model cannot steer the terminal, nor hide anything', () => {
  expect(terminalText('a\u001B[2Jb\u001B]0;title\u0007c\rd\u202Ee\u200Df\n\tg')).toBe('abc·d·e·f\n    g');
  expect(terminalText('👨‍👩‍👧 漢')).toBe('👨‍👩‍👧 漢');
});
