/** Owns: the text between the tags of a page and its links, in one pass over whatever the page is. Pure. */
import type { PageSource, PageText } from '../documents/readable-html.ts';

const NOT_SHOWN = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head', 'iframe', 'object']);
const BLOCKS = /^(?:p|div|br|li|tr|h[1-6]|ul|ol|table|section|article|header|footer|nav|blockquote|pre|dt|dd)$/;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const TITLE_CHARS = 300;

export function stripTags({ html, url }: PageSource): PageText {
  const lower = html.toLowerCase();
  const parts: string[] = [];
  let link: string | null = null;
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    parts.push(html.slice(at, open < 0 ? html.length : open));
    if (open < 0) break;
    const close = tagEnd(html, open);
    const name = /^<\/?([a-z][a-z0-9]*)/.exec(lower.slice(open, open + 20))?.[1] ?? '';
    const isEnd = html[open + 1] === '/';
    if (name === 'a' && link !== null) parts.push(`](${link})`);
    if (name === 'a') link = isEnd ? null : linkIn(html.slice(open, close), url);
    if (name === 'a' && link !== null) parts.push('[');
    if (BLOCKS.test(name)) parts.push('\n');
    at = NOT_SHOWN.has(name) && !isEnd ? endOf(lower, name, close) : close;
  }
  if (link !== null) parts.push(`](${link})`);
  return { title: titleIn(html, lower), text: tidy(parts.join('')) };
}

/** Where a tag or a comment ends; at the end of the page when it never does. */
function tagEnd(html: string, open: number): number {
  const isComment = html.startsWith('<!--', open);
  const end = html.indexOf(isComment ? '-->' : '>', open);
  return end < 0 ? html.length : end + (isComment ? 3 : 1);
}

/** Behind the end of an element whose content is not shown. */
function endOf(lower: string, name: string, from: number): number {
  const end = lower.indexOf(`</${name}`, from);
  return end < 0 ? lower.length : tagEnd(lower, end);
}

function linkIn(tag: string, base: string): string | null {
  const [, double, single, bare] =
    /\bhref\s*=\s*(?:"([^"]{1,2000})"|'([^']{1,2000})'|([^\s"'>]{1,2000}))/i.exec(tag.slice(0, 4000)) ?? [];
  const url = URL.parse(decodeEntities(double ?? single ?? bare ?? ''), base);
  return url !== null && /^https?:$/.test(url.protocol) && tag.length > 3 ? url.href : null;
}

function titleIn(html: string, lower: string): string {
  const start = lower.indexOf('<title');
  const open = start < 0 ? -1 : lower.indexOf('>', start);
  const end = open < 0 ? -1 : lower.indexOf('</title', open);
  return end < 0 ? '' : tidy(html.slice(open + 1, Math.min(end, open + 1 + TITLE_CHARS))).replaceAll('\n', ' ');
}

const tidy = (text: string): string =>
  decodeEntities(text)
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (found, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? found;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : found;
  });
}
