import { describe, expect, it } from 'vitest';
import { parseTable } from '../../../src/kit/web/browser/components/parse-table.ts';

describe('parseTable', () => {
  it('knows quotes, doubled quotes, line breaks in quotes, and other separators', () => {
    expect(parseTable('a,b\r\n"1, ""2""",3\n"x\ny",\n')).toEqual([
      ['a', 'b'],
      ['1, "2"', '3'],
      ['x\ny', ''],
    ]);
    expect(parseTable('a;b\n1;2')).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
    expect(parseTable('')).toEqual([]);
  });
});
