import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import '../../rooms/task/roles/seed.ts';
import { renderAnswer } from '../../../src/kit/text/answer-markdown.ts';
import { parseBlocks } from '../../../src/kit/text/markdown-blocks.ts';

const PIECES = [
  '[a]',
  '(http://e.x/p)',
  '![',
  '](',
  '<img src=x>',
  '<a',
  '>',
  '`',
  '``',
  '\\',
  '\n',
  '\n\n',
  ' ',
  'w',
  '|',
  '[a]: ',
  '[^1]',
  '&lt;',
  'x@y.z',
  'www.e.x',
  '://',
  '# ',
  '- ',
  '> ',
  '```',
  '~~~',
  '===',
  '---',
  '1. ',
];

describe('the answer of a model on a page', () => {
  it('stays the markdown that it is, with its headings below those of the page', () => {
    const answer = [
      '# Sales',
      '',
      'The **total** is 12, see `totals.csv`:',
      '',
      '- January: 5',
      '  - of which *3* new',
      '2. February: 7',
      '',
      '| month | total |',
      '|---|---|',
      '| January | 5 |',
      '',
      '```python',
      'print("<b>*x*</b>", a[0](b))',
      '```',
    ].join('\n');
    expect(renderAnswer(answer)).toBe(answer.replace('# Sales', '### Sales').replace('```python', '```text'));
  });

  it('shows links, pictures, addresses and tags as text', () => {
    expect(renderAnswer('See [the docs](https://example.com/a_b "T") and ![x](p.png).')).toBe(
      'See the docs (`https://example.com/a_b`) and x (`p.png`).',
    );
    expect(renderAnswer('Write to a@b.example or look at www.example.com. It is <b>bold</b>.')).toBe(
      'Write to `a@b.example` or look at `www.example.com`. It is `<b>`bold`</b>`.',
    );
  });

  it('separate lines stay separate when they are rendered', () => {
    expect(renderAnswer('Roses are red\nviolets are blue\n\nthe end')).toBe(
      'Roses are red  \nviolets are blue\n\nthe end',
    );
  });

  it('a fence that is never closed ends with the answer', () => {
    expect(renderAnswer('```\nx\n## Files')).toBe('```text\nx\n## Files\n```');
  });

  it.each(['Title\n===', 'Title\n---', '> Title\n> ===', '- # Title', '> ## Title'])(
    '%j is no section of the page',
    (text) => {
      expect(renderAnswer(text)).not.toMatch(/^(?:[\s>-]*#{1,2}\s|[^\n]+\n[ >]*(?:=+|-+)[ ]*$)/m);
    },
  );

  it('nothing in it acts, whatever it is put together from', () => {
    const piece = fc.constantFrom(...PIECES);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const shown = renderAnswer(pieces.join(''));
        const { blocks, problems } = parseBlocks(`${shown}\n\n## Files\n`);
        expect(problems.filter(({ problem }) => problem.includes('never closed'))).toEqual([]);
        const headings = blocks.flatMap((block) => (block.kind === 'heading' && block.level < 3 ? [block.text] : []));
        expect(headings).toEqual(['Files']);
        const texts = blocks.flatMap((block) => (block.kind === 'fence' ? [] : [withoutCode(block.text)]));
        for (const text of texts) expect(text).not.toMatch(/\]\(|\]:|\[\^|<[a-z/!?]|&\w+;|:\/\/|\w@\w|\bwww\.\w/i);
      }),
      { numRuns: 1000 },
    );
  });
});

/** By the rules of CommonMark, over all lines of a paragraph: a backslash does not protect the end of code. */
function withoutCode(text: string): string {
  let rest = '';
  for (let index = 0; index < text.length; ) {
    const ticks = /^`+/.exec(text.slice(index))?.[0] ?? '';
    const isEscaped = ticks !== '' && text[index - 1] === '\\';
    const end = ticks === '' || isEscaped ? -1 : endOfCode(text, index + ticks.length, ticks.length);
    if (end === -1) rest += ticks === '' ? text[index] : ticks;
    index = end === -1 ? index + Math.max(1, ticks.length) : end;
  }
  return rest;
}

function endOfCode(text: string, from: number, length: number): number {
  for (const match of text.slice(from).matchAll(/`+/g))
    if (match[0].length === length) return from + match.index + length;
  return -1;
}
