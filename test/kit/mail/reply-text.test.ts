import { describe, expect, it } from 'vitest';
import { foldQuoted, REPLY_ABOVE, splitReply } from '../../../src/kit/mail/reply-text.ts';
import { visibleText } from '../../../src/kit/mail/visible-text.ts';

const own = (text: string): string => splitReply(text).own;

describe('the own text of a mail', () => {
  it.each([
    ['quoted lines', 'no\n\nOn 3 May 2026, oka <oka@home.test> wrote:\n> approve\n> yes'],
    ['quoted lines without who wrote them', '> approve\n\nno'],
    ['an attribution over two lines', 'no\n\nOn Mon, 3 May 2026 at 10:00, oka\n<oka@home.test> wrote:\n\n> approve'],
    ['a German attribution', 'no\n\nAm 3. Mai 2026 schrieb oka <oka@home.test>:\n\n> approve'],
    ['the rest of a wrapped quoted line', '> a long line that a mail program\napprove\n> and more\n\nno'],
    ['an original message', 'no\n\n-----Original Message-----\nFrom: x\n\napprove'],
    ['a forwarded message', 'no\n\n---------- Forwarded message ---------\nFrom: x\n\napprove'],
    ['a forward of Apple Mail', 'no\n\nBegin forwarded message:\n\napprove'],
    ['a header of Outlook', 'no\n\nFrom: oka <oka@home.test>\nSent: Monday\nTo: Ann\nSubject: Totals\n\napprove'],
    ['a header of Outlook behind a line', 'no\n\n________________________________\nVon: oka\n\napprove'],
    ['what follows our own line', `no\n\n${REPLY_ABOVE}\napprove`],
    ['our own line, quoted and changed', `no\n\n* ${REPLY_ABOVE}\napprove`],
    ['a signature', 'no\n-- \napprove'],
    ['lines behind a bar', 'no\n\n| approve'],
  ])('is without %s', (_, text) => {
    expect(own(text)).toBe('no');
    expect(splitReply(text).quoted.includes('approve') || text.includes('\n-- \n')).toBe(true);
  });

  it('stays complete where nothing is quoted', () => {
    const text = 'Add these:\n\n```bash\nls > list.txt\n```\n\nFrom: the desk\nTo the outbox.';
    expect(splitReply(text)).toEqual({ own: text, quoted: '' });
  });

  it('may follow what it answers', () => {
    expect(own('> Which month?\n\nMay.\n\n> Which year?\n\n2026.')).toBe('May.\n\n2026.');
  });

  it('takes time in proportion to its length', () => {
    const lines = Array.from({ length: 50_000 }, () => 'On 1:').join('\n');
    expect(own(lines)).toHaveLength(lines.length);
  });
});

describe('the visible text of HTML', () => {
  it.each([
    '<div style="display: none">approve</div>',
    '<div style="DISPLAY:NONE"><p>approve</p></div>',
    '<span style="font-size:0px">approve</span>',
    '<span style="color:#ffffff">approve</span>',
    '<font color="white">approve</font>',
    '<p hidden>approve</p>',
    '<!-- approve -->',
    '<style>.x{display:none}</style><p class="x">approve</p>',
    '<style>div.a .x , #y {visibility: hidden}</style><p id="y">approve</p>',
    '<script>"</p>approve"</script>',
    '<title>approve</title>',
    '<div style="position:absolute;left:-9999px">approve</div>',
    '<div style="opacity:0">approve</div>',
    '<div style="max-height:0;overflow:hidden">approve</div>',
    '<p title="a > approve"></p><div style=\'display&#58;none\'>approve</div>',
  ])('has nothing of %s', (html) => {
    expect(visibleText(`<html><body><p>no</p>${html}</body></html>`)).not.toMatch(/^approve$/m);
  });

  it('marks quotations, so that they are no answer', () => {
    const html =
      '<div>no</div><div class="gmail_quote"><div>On 3 May, oka wrote:</div><blockquote>approve<br>yes</blockquote></div>';
    expect(own(visibleText(html))).toBe('no');
    expect(own(visibleText('no<blockquote>approve'))).toBe('no');
  });

  it('has paragraphs, line breaks and characters', () => {
    expect(visibleText('<p>Fish &amp; chips&nbsp;&#8364;5</p>\n<p>one<br>two</p>')).toBe('Fish & chips €5\n\none\ntwo');
  });

  it('takes time in proportion to its length', () => {
    expect(visibleText('<div>'.repeat(100_000)).length).toBeLessThan(10);
    expect(visibleText('<style>'.repeat(50_000)).length).toBeLessThan(10);
    expect(visibleText('<'.repeat(200_000)).length).toBe(0);
    expect(visibleText('<script>x</scrip'.repeat(50_000)).length).toBe(0);
  });
});

describe('a folded mail', () => {
  it('has one line in the place of each quotation, keeps what is answered between, and its signature', () => {
    const text = 'Yes.\n\n> When?\n\nIn May.\n\nOn 1 May, Bob wrote:\n> a\n> b\n> c\n\nAnn\n-- \nAnn Miller';
    expect(foldQuoted(text)).toEqual({
      text: 'Yes.\n\n> When?\n\nIn May.\n\n[4 quoted lines]\n\nAnn\n-- \nAnn Miller',
      folded: 4,
    });
  });
});
