import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeEdit } from '../../../src/kit/desk/describe-edit.ts';

const rows = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index},name ${index},10`);
const table = (lines: readonly string[]): string => `id,name,total\n${lines.join('\n')}\n`;

describe('what was changed in a text', () => {
  it('is marked in the whole text where it is short', () => {
    expect(describeEdit('a\nb\nc\n', 'a\nB\nc\n')).toBe(' a\n-b\n+B\n c\n ');
  });

  it('is all that is shown of a long one, with the lines around it and where it is', () => {
    const long = Array.from({ length: 5000 }, (_, index) => `line ${index}`);
    const shown = describeEdit(long.join('\n'), long.with(2500, 'other').join('\n'));
    expect(shown).toBe('@@ line 2499 @@\n line 2498\n line 2499\n-line 2500\n+other\n line 2501\n line 2502');
  });

  it('has the header of the table above it, once', () => {
    const before = rows(5000);
    const after = before.with(1200, '1200,name 1200,99').with(4000, '4000,name 4000,98');
    const shown = describeEdit(table(before), table(after), true) ?? '';
    expect(shown.split('\n').filter((line) => /[-+]/.test(line[0] ?? ''))).toEqual([
      '-1200,name 1200,10',
      '+1200,name 1200,99',
      '-4000,name 4000,10',
      '+4000,name 4000,98',
    ]);
    expect(shown.split('\n').slice(0, 2)).toEqual(['@@ line 1200 @@', ' id,name,total']);
    expect(shown.match(/id,name,total/g)).toHaveLength(1);
  });

  it('has the header of its own sheet above it', () => {
    const sheet = (name: string, head: string, lines: readonly string[]): string =>
      `## ${name}\n\n${[head, ...lines].join('\n')}\n`;
    const book = (lines: readonly string[]): string =>
      `${sheet('First', 'a | b', rows(400))}\n${sheet('Second', 'c | d', lines)}`;
    const shown = describeEdit(book(rows(400)), book(rows(400).with(300, 'new')), true) ?? '';
    expect(shown).toContain('\n c | d\n');
    expect(shown).not.toContain('a | b');
  });

  it('of a long line is the part around the change', () => {
    const line = (value: string): string => `{"a":"${'x'.repeat(5000)}","b":${value},"c":"${'y'.repeat(5000)}"}`;
    const shown = describeEdit(line('1'), line('2')) ?? '';
    expect(shown.length).toBeLessThan(1000);
    expect(shown).toMatch(/^-….*"b":1,.*…\n\+….*"b":2,.*…$/);
  });

  it('is nothing where two texts have nothing in common', () => {
    const many = (word: string): string => Array.from({ length: 3000 }, (_, index) => `${word}${index}`).join('\n');
    expect(describeEdit(many('a'), many('b'))).toBeNull();
  });

  it('contains every new line and every old one, however texts differ', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });
    fc.assert(
      fc.property(lines, lines, (was, is) => {
        const shown = describeEdit(was.join('\n'), is.join('\n')) ?? '';
        fc.pre(was.join('\n') !== is.join('\n'));
        const side = (mark: string): string =>
          shown
            .split('\n')
            .filter((line) => !line.startsWith(mark))
            .map((line) => line.slice(1))
            .join('\n');
        expect([side('+'), side('-')]).toEqual([was.join('\n'), is.join('\n')]);
      }),
    );
  });
});
