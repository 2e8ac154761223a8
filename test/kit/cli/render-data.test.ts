import { describe, expect, it } from 'vitest';
import { renderColumns } from '../../../src/kit/cli/columns.ts';
import { terminalOf } from '../../../src/kit/cli/io.ts';
import { renderData } from '../../../src/kit/cli/render-data.ts';

const plain = terminalOf({ isTerminal: false, hasColours: false, width: 40 });

describe('columns', () => {
  it('are as wide as their widest text, and one takes what is left of the line', () => {
    const rows = [
      { id: 'a', title: 'A title that is longer than the line has room for' },
      { id: 'long-id', title: 'short' },
    ];
    const text = renderColumns(
      rows,
      [{ text: ({ id }) => id }, { text: ({ title }) => title, grows: true }, { text: () => 'end' }],
      plain,
    );
    expect(text.split('\n').map((line) => line.length)).toEqual([40, 40, 0]);
    expect(text).toContain('A title that is longer th…  end');
  });

  it('let no control character of a text through', () => {
    expect(renderColumns(['a\u001B[31mb'], [{ text: (row) => row }], plain)).toBe('a·[31mb\n');
  });

  it('are coloured only where colours are wanted', () => {
    const render = (hasColours: boolean): string => {
      const terminal = terminalOf({ isTerminal: true, hasColours, width: 40 });
      return renderColumns(['x'], [{ text: (row) => row, style: terminal.red }], terminal);
    };
    expect([render(false), render(true)]).toEqual(['x\n', '\u001B[31mx\u001B[39m\n']);
  });
});

describe('data without a renderer', () => {
  it('a list of objects is a table, an object is key: value, and nothing is said so', () => {
    expect(renderData([{ name: 'a', size: 1 }, { name: 'bb' }], plain)).toBe('name  size\na     1\nbb    –\n');
    expect(renderData({ state: 'good', tags: ['x', 'y'], none: null }, plain)).toBe(
      'state: good\ntags: x, y\nnone: –\n',
    );
    expect(renderData([], plain)).toBe('Nothing to show.\n');
    expect(renderData('{\n  a: 1\n}', plain)).toBe('{\n  a: 1\n}\n');
  });
});
