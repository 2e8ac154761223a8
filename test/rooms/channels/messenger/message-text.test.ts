import { describe, expect, it } from 'vitest';
import { partsOf } from '../../../../src/rooms/channels/messenger/message-text.ts';
import { chance } from '../../../support/chance.ts';

const html = (markdown: string): string =>
  partsOf(markdown, 4000, 'html')
    .map(({ text }) => text)
    .join('\n---\n');

describe('markdown in a messenger', () => {
  it.each([
    ['# A title\n\nand **bold** and `code <b>`', '<b>A title</b>\n\nand <b>bold</b> and <code>code &lt;b&gt;</code>'],
    ['- one\n- two', '• one\n• two'],
    ['[here](https://a.example/x)', 'here (https://a.example/x)'],
    ['![a picture](https://a.example/x.png)', 'a picture (https://a.example/x.png)'],
    ['[https://bank.example](https://evil.example/)', 'https://bank.example (https://evil.example/)'],
    [
      '<a href="https://evil.example">bank</a> & co',
      '&lt;a href=&quot;https://evil.example&quot;&gt;bank&lt;/a&gt; &amp; co',
    ],
    ['```js\nif (a < b) {}\n\nend\n```', '<pre>if (a &lt; b) {}\n\nend</pre>'],
    ['| a | long |\n|---|---|\n| 1 | 2 |', '<pre>a  long\n1  2</pre>'],
    ['# **all** bold', '<b>all bold</b>'],
  ])('%s', (markdown, shown) => expect(html(markdown)).toBe(shown));

  it('is cut between paragraphs, lines and words, loses no word, and no part is too long', () => {
    const next = chance(7);
    const pick = (from: readonly string[]): string => from[Math.floor(next() * from.length)] ?? '';
    const words = ['alpha', 'β', '🙂🙂', '<b>', '&amp;', '**strong**', '`x`', 'y'.repeat(90), '| a | b |'];
    for (let round = 0; round < 300; round += 1) {
      const text = Array.from({ length: 120 }, () => pick(words) + pick([' ', ' ', '\n', '\n\n', '\n```\n'])).join('');
      const parts = partsOf(text, 200, 'html');
      for (const { plain, text: shown } of parts) {
        expect(plain.length).toBeLessThanOrEqual(200);
        expect(shown.isWellFormed()).toBe(true);
        const open = shown.match(/<(?:b|pre|code)>/g)?.length ?? 0;
        expect(shown.match(/<\/(?:b|pre|code)>/g)?.length ?? 0).toBe(open);
      }
      const count = (whole: string): number => whole.match(/alpha/g)?.length ?? 0;
      expect(count(parts.map(({ plain }) => plain).join(' '))).toBe(count(text));
    }
  });
});
