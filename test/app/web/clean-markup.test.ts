import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanMarkup } from '../../../src/app/web/files/clean-markup.ts';
import { runsOf } from '../../support/thorough.ts';

const LEAVING = [
  '<link rel=preconnect href=http://evil.example>',
  '<LINK REL="dns-prefetch" HREF="//evil.example">',
  '<link/rel=preconnect/href=http://evil.example>',
  '<meta http-equiv=refresh content="0;url=http://evil.example">',
  '<base href="http://evil.example/">',
  '<a href="http://evil.example/" ping="http://evil.example/">x</a>',
  '<a href="&#104;ttp://evil.example">x</a>',
  '<img src="http://evil.example/x.png" srcset="http://evil.example 2x">',
  '<img src="data:image/svg+xml,<svg><image href=http://evil.example></svg>">',
  '<svg><image xlink:href="http://evil.example/x"/><use href="http://evil.example/#x"/></svg>',
  '<svg><foreignObject><iframe src="http://evil.example"></iframe></foreignObject></svg>',
  '<svg><style><link rel=preconnect href=http://evil.example></style></svg>',
  '<style>@import "http://evil.example/x.css"; p{background:url(http://evil.example)}</style>',
  '<p style="background:u\\72l(http://evil.example)">x</p>',
  '<p style="background:u&#114;l(http://evil.example)">x</p>',
  '<rect fill="url(http://evil.example/#x)">',
  '<script type=speculationrules>{"prefetch":["http://evil.example"]}</script>',
  '<template><link rel=preconnect href=http://evil.example></template>',
  '<!--><link rel=preconnect href=http://evil.example>-->',
  '<p title="<link rel=preconnect href=http://evil.example>">x</p>',
  '<xml:link rel=preconnect href=http://evil.example>',
  '<h:link xmlns:h="http://www.w3.org/1999/xhtml" rel="preconnect" href="http://evil.example"/>',
  '<form action=http://evil.example><button formaction=http://evil.example>x</button></form>',
  '<video src=http://evil.example poster=http://evil.example></video><audio src=http://evil.example>',
  '<link rel=preconnect href="http://evil.example',
  '<style>p{}<link rel=preconnect href=http://evil.example>',
];

describe('a cleaned copy', () => {
  it('shows what a page and a drawing contain', () => {
    const page =
      '<!doctype html><title>t</title><style>p > b{color:red}</style><h1 class="a">Sum</h1><p>1 < 2 &amp; 3</p>';
    expect(cleanMarkup(page)).toBe(
      '<!doctype html><style>p > b{color:red}</style><h1 class="a">Sum</h1><p>1 &lt; 2 &amp; 3</p>',
    );
    const drawing =
      '<?xml version="1.0"?><svg viewBox="0 0 9 9"><defs><g id="a"/></defs><use href="#a" fill="url(#b)"/></svg>';
    expect(cleanMarkup(drawing)).toBe(
      '<!doctype html><svg viewBox="0 0 9 9"><defs><g id="a"/></defs><use href="#a" fill="url(#b)"/></svg>',
    );
    const picture = '<img src="data:image/png;base64,AAAA" alt="a">';
    expect(cleanMarkup(picture)).toContain(picture);
  });

  it.each(LEAVING)('leads nowhere: %s', (text) => expectNowhere(cleanMarkup(text)));

  it('leads nowhere however the pieces are put together', () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom(...LEAVING),
        fc.string({ maxLength: 6 }),
        fc.constantFrom('<', '>', '"', "'", '/', '=', '&', '-', '!', ' '),
      ),
    );
    fc.assert(
      fc.property(pieces, (parts) => expectNowhere(cleanMarkup(parts.join('')))),
      runsOf(300),
    );
  });

  it('takes a time that grows with the length alone', () => {
    for (const piece of ['<', '<a ', '<a b="', '<!--', '<style>', '<script', '<p style="\\', '<a b=c '])
      expect(cleanMarkup(piece.repeat(200_000)).length).toBeLessThan(200_000 * 30);
  });
});

const TAG = /<\/?([a-z0-9]+)((?: [\w:-]+="[^"<]*")*)\/?>/gi;

/** Apart from tags of a known form without addresses there is no `<`. */
function expectNowhere(copy: string): void {
  const body = copy.replace('<!doctype html>', '');
  expect(body.replaceAll(TAG, '')).not.toContain('<');
  for (const [, name = '', attributes = ''] of body.matchAll(TAG)) {
    expect(['link', 'meta', 'base', 'script', 'iframe', 'form', 'object', 'template']).not.toContain(
      name.toLowerCase(),
    );
    for (const [, attribute = '', value = ''] of attributes.matchAll(/ ([\w:-]+)="([^"]*)"/g)) {
      if (/^(href|xlink:href|src)$/i.test(attribute)) expect(value).toMatch(/^#|^data:image\/(png|jpeg|gif|webp);/);
      if (!/^(title|alt|value|id|class|data-|aria-)/i.test(attribute)) expect(value).not.toMatch(/url\((?!["']?#)/);
    }
  }
  for (const [, style = ''] of body.matchAll(/<style[^>]*>([^<]*)/gi)) expect(style).not.toMatch(/@import|url\(http/);
}
