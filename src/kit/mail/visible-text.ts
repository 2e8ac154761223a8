/**
 * Owns: the text of an HTML mail that its reader sees. Pure and linear; it is no renderer.
 *
 * 1. What is not shown (comments, styles, hidden elements, text of no size or colour) is left out: whoever authenticated
 *    a mail did not see it, either.
 * 2. Quotations become lines that begin with `>`, so that splitReply recognises them.
 */

const DROPPED = new Set([
  'script',
  'style',
  'head',
  'title',
  'template',
  'noscript',
  'svg',
  'object',
  'iframe',
  'select',
  'textarea',
]);
const VOID = new Set(['br', 'hr', 'img', 'input', 'meta', 'link', 'wbr', 'col', 'area', 'base', 'source', 'embed']);
const BLOCKS = new Set(
  'p div tr table ul ol li h1 h2 h3 h4 h5 h6 pre blockquote section article header footer'.split(' '),
);
const HIDING =
  /display:none|visibility:(hidden|collapse)|opacity:0?(\.0+)?(;|!|$)|font-size:(0|0?\.\d+|1)(px|pt|em|rem|%)?(;|!|$)|(max-)?(height|width):0|line-height:0|text-indent:-|(left|top|right|bottom):-\d|clip(-path)?:|mso-hide:all|color:(transparent|white|#fff(fff)?|rgba?\([^)]*,0?(\.0+)?\))|transform:|position:(absolute|fixed)/;

/** An element that is open, and in how many quotations it is. */
type Open = { name: string; isHidden: boolean; quotes: number };

export const visibleText = (html: string): string => readHtml(html).visible;

/** Whether a mail has text that its reader does not see. */
export const hidesText = (html: string): boolean => readHtml(html).isHiding;

function readHtml(html: string): { visible: string; isHiding: boolean } {
  const styles = hidingSelectors(html);
  const open: Open[] = [];
  const lines = [{ depth: 0, text: '' }];
  let isHiding = html.length > MOST_CHARS;
  const depth = (): number => open.at(-1)?.quotes ?? 0;
  const breakLine = (): number => lines.push({ depth: depth(), text: '' });
  for (const token of tokensOf(html.slice(0, MOST_CHARS))) {
    const isHidden = open.at(-1)?.isHidden === true;
    if (token.kind === 'text') {
      const line = lines.at(-1);
      isHiding ||= isHidden && !isCode(open) && token.text.trim() !== '';
      if (!isHidden && line !== undefined) line.text += decodeEntities(token.text).replaceAll(/\s+/g, ' ');
      continue;
    }
    const { name, attributes } = token;
    if (token.kind === 'close') closeElement(open, name);
    else if (!VOID.has(name))
      openElement(open, {
        name,
        isHidden: isHidden || hides(name, attributes, styles),
        quotes: depth() + (isQuotation(name, attributes) ? 1 : 0),
      });
    if (!isHidden && (BLOCKS.has(name) || name === 'br' || name === 'hr' || depth() !== lines.at(-1)?.depth))
      breakLine();
  }
  const visible = lines
    .map((line) => `${'> '.repeat(line.depth)}${line.text.trim()}`.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return { visible, isHiding };
}

const MOST_OPEN = 200;
const MOST_CHARS = 1_000_000;

/** Styles and scripts are no text of a mail. */
const isCode = (open: readonly Open[]): boolean => /^(style|script)$/.test(open.at(-1)?.name ?? '');

/** What is deeper than any mail needs is not shown. */
function openElement(open: Open[], element: Open): void {
  const last = open.at(-1);
  if (open.length < MOST_OPEN) open.push(element);
  else if (last !== undefined) last.isHidden = true;
}

function closeElement(open: Open[], name: string): void {
  const at = open.findLastIndex((element) => element.name === name);
  if (at !== -1) open.length = at;
}

function hides(name: string, attributes: string, selectors: readonly string[]): boolean {
  if (DROPPED.has(name)) return true;
  const plain = attributes.toLowerCase();
  if (/\shidden(\s|=|$)|aria-hidden\s*=\s*["']?true/.test(plain)) return true;
  if (HIDING.test(attributeOf(plain, 'style').replaceAll(/\s+/g, ''))) return true;
  if (/^(#fff(fff)?|white|transparent)$/.test(attributeOf(plain, 'color').trim())) return true;
  const names = [
    name,
    ...attributeOf(plain, 'class')
      .split(/\s+/)
      .map((each) => `.${each}`),
    `#${attributeOf(plain, 'id')}`,
  ];
  return selectors.some((selector) => names.includes(selector));
}

/** The last part of each selector whose rule hides something; a rule that cannot be read hides what it names. */
function hidingSelectors(html: string): string[] {
  const found: string[] = [];
  for (const [, css = ''] of html.slice(0, 500_000).matchAll(/<style\b[^>]{0,1000}>([^<]{0,200000})/gi))
    for (const rule of css.toLowerCase().split('}')) {
      const [selector = '', body = ''] = rule.split('{').slice(-2);
      if (!HIDING.test(body.replaceAll(/\s+/g, ''))) continue;
      for (const each of selector.split(','))
        found.push(
          ...(each
            .trim()
            .split(/[\s>+~]+/)
            .at(-1)
            ?.match(/[.#]?[\w-]+/g) ?? []),
        );
    }
  return found;
}

const isQuotation = (name: string, attributes: string): boolean =>
  name === 'blockquote' ||
  /\b(gmail_quote|moz-cite-prefix|yahoo_quoted|protonmail_quote|tutanota_quote|divRplyFwdMsg|appendonsend)\b/i.test(
    attributes,
  );

function attributeOf(attributes: string, name: string): string {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`).exec(attributes);
  return decodeEntities(found?.[1] ?? found?.[2] ?? found?.[3] ?? '');
}

type Token = { kind: 'text'; text: string } | { kind: 'open' | 'close'; name: string; attributes: string };

function* tokensOf(html: string): Generator<Token, void> {
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf('<', at);
    if (start === -1) return yield { kind: 'text', text: html.slice(at) };
    if (start > at) yield { kind: 'text', text: html.slice(at, start) };
    const isComment = html.startsWith('<!', start) || html.startsWith('<?', start);
    const end = html.indexOf(isComment && html.startsWith('<!--', start) ? '-->' : '>', start);
    if (end === -1) return; // an element without an end shows nothing
    at = end + (html.startsWith('<!--', start) ? 3 : 1);
    const tag = /^<(\/?)([a-zA-Z][\w:-]{0,60})/.exec(html.slice(start, Math.min(end, start + 70)));
    if (isComment || tag === null) continue;
    const [head, slash = '', name = ''] = tag;
    const attributes = html.slice(start + head.length, end).slice(0, 20_000);
    yield { kind: slash === '' ? 'open' : 'close', name: name.toLowerCase(), attributes };
    if (slash === '' && /^(script|style|title|textarea)$/i.test(name)) at = endOfRaw(html, name, at);
  }
}

/** Where the content of a script or a style ends, whatever is in it. */
function endOfRaw(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, 'i');
  const found = end.exec(html.slice(from));
  return found === null ? html.length : from + found.index;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

const decodeEntities = (text: string): string =>
  text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{1,10});/gi, (whole, name: string) => {
    const code = /^#x/i.test(name)
      ? Number.parseInt(name.slice(2), 16)
      : name.startsWith('#')
        ? Number(name.slice(1))
        : null;
    if (code === null) return ENTITIES[name.toLowerCase()] ?? whole;
    return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : '';
  });
