import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '../../rooms/task/roles/seed.ts';
import { type Block, parseBlocks } from '../../../src/kit/text/markdown-blocks.ts';

const fences = (text: string): Extract<Block, { kind: 'fence' }>[] =>
  parseBlocks(text).blocks.filter((block) => block.kind === 'fence');
const codes = (text: string): string[] => fences(text).map(({ code }) => code);
const problems = (text: string): [number, string][] =>
  parseBlocks(text).problems.map(({ line, problem }) => [line, problem]);

describe('B1 a fence is what CommonMark takes for one', () => {
  it.each<[string, string, string[]]>([
    ['backticks', '```bash\na\n```', ['a']],
    ['tildes', '~~~bash\na\n~~~', ['a']],
    ['a longer fence around a shorter one', '````md\n```bash\na\n```\n````', ['```bash\na\n```']],
    ['tildes around backticks', '~~~\n```\na\n```\n~~~', ['```\na\n```']],
    ['a closing fence that is longer', '```\na\n`````', ['a']],
    [
      'a fence of the other kind, and one with words behind it, close nothing',
      '```\na\n~~~\n``` b\n```',
      ['a\n~~~\n``` b'],
    ],
    ['an opening indented by three, whose code loses as much', '   ```\n   a\n     b\n c\n   ```', ['a\n  b\nc']],
    ['a closing fence indented by three', '```\na\n   ```', ['a']],
    ['four columns are code of the block, not its end', '```\na\n    ```\n```', ['a\n    ```']],
    ['an empty block', '```bash\n```', ['']],
    ['blank lines inside', '```\n\na\n\n```', ['\na\n']],
    ['Windows line ends', '```bash\r\na\r\nb\r\n```\r\n', ['a\nb']],
    ['old Mac line ends', '```\ra\r```', ['a']],
    ['a byte order mark', '\uFEFF```\na\n```', ['a']],
    ['right behind a paragraph', 'text\n```\na\n```\ntext', ['a']],
    ['tabs inside the code', '```\n\tif x:\n\t\ty\n```', ['\tif x:\n\t\ty']],
    ['in a numbered step', '1. Do\n\n   ```bash\n   a\n     b\n   ```', ['a\n  b']],
    ['on the line of the marker', '- ```bash\n  a\n  ```', ['a']],
    ['two lists deep', '1. x\n   - y\n\n     ```\n     a\n     ```', ['a']],
    ['indented by tabs in an item', '1.\tx\n\n\t```\n\ta\n\t```', ['a']],
    ['an item whose paragraph goes on without indent', '10. one\ntwo\n    ```\n    a\n    ```', ['a']],
    ['an item with a marker alone', '-\n  ```\n  a\n  ```', ['a']],
    ['less indented than its item: on its own', '1. x\n```\na\n```', ['a']],
  ])('%s', (_, text, code) => {
    expect(problems(text)).toEqual([]);
    expect(codes(text)).toEqual(code);
  });

  it.each<[string, string]>([
    ['inline code of three backticks', '```not a fence``` text'],
    ['backticks in the info of a backtick fence', '```bash `x`\n'],
    ['two backticks', '``\na\n``'],
    ['a quotation', '> ```bash\n> rm -rf x\n> ```'],
    ['an HTML comment', '<!--\n```bash\nrm -rf x\n```\n-->'],
    ['a comment that ends at the end of a line', '<!-- off\n```bash\nrm x\n``` -->'],
    ['raw HTML', '<pre>\n```bash\nrm x\n```\n</pre>'],
    ['indented code', 'text\n\n    rm -rf x\n'],
  ])('%s is none', (_, text) => {
    expect(codes(text)).toEqual([]);
  });

  it('what is behind a comment or raw HTML counts again', () => {
    expect(codes('<!-- a -->\n```\nb\n```\n<!--\n-->\n```\nc\n```\n<pre>x</pre>\n```\nd\n```')).toEqual([
      'b',
      'c',
      'd',
    ]);
  });

  it('the info string is kept, and the line where the fence opens', () => {
    const [first] = fences('\n~~~ bash id:x `y` \na\n~~~');
    expect(first).toEqual({ kind: 'fence', line: 2, info: 'bash id:x `y`', code: 'a', inItem: false });
    expect(parseBlocks('```\na\n```', 40).blocks[0]?.line).toBe(40);
  });
});

describe('B2 nothing is guessed', () => {
  it('a fence that is never closed is a problem at the line where it opens', () => {
    expect(problems('a\n\n```bash\nb\n')).toEqual([[3, expect.stringContaining('never closed')]]);
    expect(problems('~~~~\nb\n~~~')).toEqual([[1, expect.stringContaining('put ~~~~ on a line of its own')]]);
  });

  it('code that leaves its list item is one problem, not a new fence', () => {
    const text = '1. x\n   ```bash\n   a\nb\nc\n   ```\n\n```\nd\n```';
    expect(problems(text)).toEqual([[4, expect.stringContaining('line 2; indent it by 3')]]);
    expect(codes(text)).toEqual(['a\nb\nc', 'd']);
  });

  it.each(['text\n\n    ```bash\n    a\n    ```', '- x\n      ```bash\n      a\n      ```'])(
    'a fence that is indented too far is a problem: %j',
    (text) => expect(problems(text)[0]?.[1]).toContain('too far'),
  );
});

describe('what else is seen', () => {
  it('headings of both kinds, items and paragraphs, with their lines', () => {
    const { blocks } = parseBlocks(
      '# One #\n\nTwo\n===\n\nThree\n---\n1. a\n   b\n2) c\n- d\n\npara\ngoes on\n***\n#no\n## ##',
    );
    expect(blocks).toEqual([
      { kind: 'heading', line: 1, text: 'One', level: 1 },
      { kind: 'heading', line: 3, text: 'Two', level: 1 },
      { kind: 'heading', line: 6, text: 'Three', level: 2 },
      { kind: 'item', line: 8, text: 'a b', ordered: true },
      { kind: 'item', line: 10, text: 'c', ordered: true },
      { kind: 'item', line: 11, text: 'd', ordered: false },
      { kind: 'text', line: 13, text: 'para goes on' },
      { kind: 'text', line: 16, text: '#no' },
      { kind: 'heading', line: 17, text: '', level: 2 },
    ]);
  });

  it('a heading inside a fence is code, and a fence does not hide what follows', () => {
    expect(parseBlocks('```\n# no\n```\n# yes').blocks.map(({ kind }) => kind)).toEqual(['fence', 'heading']);
  });

  it.each([
    ['spaces', `# ${' '.repeat(200_000)}x`],
    ['hashes', `# ${'# '.repeat(100_000)}x`],
    ['markers', '- '.repeat(50_000)],
    ['stars', `${'* '.repeat(100_000)}x`],
    ['backticks', '`'.repeat(300_000)],
    ['blank lines', '\n'.repeat(300_000)],
  ])('a long row of %s is read', (_, text) => {
    expect(parseBlocks(text).blocks.length).toBeGreaterThanOrEqual(0);
  });
});

describe('for any text', () => {
  const line = fc.oneof(
    fc.constantFrom(
      '```',
      '````',
      '~~~',
      '```bash',
      '- ',
      '1. ',
      '> ',
      '# h',
      '    ',
      '<!--',
      '-->',
      '',
      '   ```',
      '\t',
    ),
    fc.string({ maxLength: 12 }),
  );
  const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'));

  it('reading gives blocks in the order of their lines and never throws', () => {
    fc.assert(
      fc.property(text, (markdown) => {
        const lines = parseBlocks(markdown).blocks.map((block) => block.line);
        expect(lines).toEqual(lines.toSorted((a, b) => a - b));
      }),
    );
  });

  it('code comes back as it was put into a fence that is long enough', () => {
    const code = fc.array(line, { maxLength: 20 }).map((lines) => lines.join('\n').replaceAll('\r', ''));
    fc.assert(
      fc.property(code, fc.constantFrom('', '1. x\n\n', 'para\n', '# h\n'), (body, before) => {
        const indent = before.startsWith('1.') ? '   ' : '';
        const longest = Math.max(2, ...(body.match(/`+/g) ?? []).map((run) => run.length));
        const fence = '`'.repeat(longest + 1);
        const inside = body
          .split('\n')
          .map((each) => `${indent}${each}`)
          .join('\n');
        const read = parseBlocks(`${before}${indent}${fence}bash\n${inside}\n${indent}${fence}\n`);
        expect(read.problems).toEqual([]);
        expect(read.blocks.at(-1)).toMatchObject({ kind: 'fence', info: 'bash', code: body });
      }),
    );
  });
});
