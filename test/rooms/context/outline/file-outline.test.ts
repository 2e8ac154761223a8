import { describe, expect, it } from 'vitest';
import { endingOf, outlineOf } from '../../../../src/rooms/context/outline/file-outline.ts';

describe('the outline of a source file', () => {
  const source = [
    '/** Counts things. It never guesses. Nobody reads further. Nor here. */',
    "import { a, type B } from './other.ts';",
    'const text = "export const fake = 1";',
    '// export const commented = 2;',
    'export const first = (x: number): number => x;',
    'export async function second<T>(',
    '  one: T,',
    '): Promise<T> {',
    '  return one;',
    '}',
    'export type Third = { a: string };',
    'export { text as fourth };',
  ].join('\n');

  it('has the exported names with their lines, and no name out of a string or a comment', () => {
    const { names } = outlineOf(source, 'ts');
    expect(names.map(({ name, line }) => [name, line])).toEqual([
      ['first', 5],
      ['second', 6],
      ['Third', 11],
      ['fourth', 12],
    ]);
  });

  it('shows a declaration without its body, on one line', () => {
    expect(outlineOf(source, 'ts').names[1]?.declaration).toBe(
      'export async function second<T>( one: T, ): Promise<T>',
    );
  });

  it('begins with the first sentences of the opening comment, and names what is imported', () => {
    const { lead, specifiers, lines } = outlineOf(source, 'ts');
    expect(lead).toBe('Counts things. It never guesses. Nobody reads further.');
    expect(specifiers).toEqual(['./other.ts']);
    expect(lines).toBe(12);
  });

  it('falls back to lines where the text is no module that can be parsed', () => {
    const markup = "export const View = () => <p>it's {broken</p>;\nexport function other() {}\n";
    expect(outlineOf(markup, 'tsx').names.map(({ name }) => name)).toEqual(['View', 'other']);
    expect(outlineOf("export const a = `${'", 'ts').names.map(({ name }) => name)).toEqual(['a']);
  });

  it('knows what lines of other languages declare', () => {
    const names = (text: string, ending: string): string[] => outlineOf(text, ending).names.map(({ name }) => name);
    expect(names('"""Reads."""\ndef read(x):\n    def inner(): pass\nclass Reader:\n', 'py')).toEqual([
      'read',
      'Reader',
    ]);
    expect(names('func (s *Server) Start() {\nfunc hidden() {\ntype Config struct {\n', 'go')).toEqual([
      'Start',
      'Config',
    ]);
    expect(names('pub fn open() {}\nfn own() {}\npub(crate) struct Node;\n', 'rs')).toEqual(['open', 'Node']);
  });
});

describe('the outline of prose', () => {
  it('has headings outside fences, and the first paragraph that is prose', () => {
    const text =
      '---\ntitle: x\n---\n# Title #\n\n![badge](b.svg)\n\nIt *works*. Always.\n\n```sh\n# no heading\n```\n## Next\n';
    const { headings, lead } = outlineOf(text, 'md');
    expect(headings).toEqual([
      { level: 1, text: 'Title', line: 4 },
      { level: 2, text: 'Next', line: 13 },
    ]);
    expect(lead).toBe('It *works*. Always.');
  });

  it('of an empty file is empty', () => {
    expect(outlineOf('', 'md')).toEqual({ lines: 0, lead: '', headings: [], names: [], specifiers: [] });
  });
});

it('an ending is what follows the last dot of a name that does not begin with it', () => {
  expect(['a/b.D.TS', 'a.b/Makefile', '.env', 'x.tar.gz'].map(endingOf)).toEqual(['ts', '', '', 'gz']);
});

it('a long hostile text is outlined in linear time', () => {
  for (const ending of ['ts', 'md', 'py', 'c', 'txt'])
    for (const unit of ['(', '/*', '# ', 'a.', '`', 'export ', '\n', '- ', '"""'])
      expect(outlineOf(unit.repeat(40_000), ending).names.length).toBeGreaterThanOrEqual(0);
});
