/** Owns: the addresses that a text names, so that a link may be followed exactly as written. Pure. */

const ADDRESS = /https?:\/\/[^\s"'<>\\^`{|}]+/gi;
const ATTRIBUTE = /\b(?:href|src)\s*=\s*(?:"([^"]{1,2000})"|'([^']{1,2000})'|([^\s"'<>]{1,2000}))/gi;
/** What a sentence or a markdown link puts behind an address. */
const BEHIND = /[.,;:!?*_)\]]+$/;
const MOST_LINKS = 5000;

/** Every address in a text, and behind `href` and `src` also those that are relative to `base`; also with its fragment. */
export function linksIn(text: string, base?: string): Set<string> {
  const links = new Set<string>();
  const add = (found: string): void => {
    const url = links.size < MOST_LINKS ? comparableUrl(found, base) : null;
    if (url === null) return;
    links.add(url);
    if (found.includes('#')) links.add(new URL(found, base).href);
  };
  for (const [found] of text.matchAll(ADDRESS)) {
    add(unescapeAmpersands(found));
    add(unescapeAmpersands(found).replace(BEHIND, ''));
  }
  for (const [, quoted, single, bare] of text.matchAll(ATTRIBUTE))
    add(unescapeAmpersands(quoted ?? single ?? bare ?? ''));
  return links;
}

/** An address as the tool is given it: scripts of a page that is opened in a browser see its fragment, too. */
export const askedUrl = (tool: string, text: string): string | null =>
  tool === 'browser.open' ? (URL.parse(text)?.href ?? null) : comparableUrl(text);

/** An address in the form in which two of them are compared: without what a server never sees. Null when it is none. */
export function comparableUrl(text: string, base?: string): string | null {
  const url = URL.parse(text, base);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  url.hash = '';
  return url.href;
}

/** A name with a dot and what looks like the end of a host, wherever a page has it: `foo.example?msg=`, `//foo.example/`. */
const BARE_HOST =
  /(?<![\w.@-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}[a-z][a-z0-9-]{1,61}(?::\d{1,5})?(?![\w-])/gi;

/** Hosts that a text names without a scheme; a file name too many is harmless, since it only leads to a question. */
export function hostsNamedIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const [name] of text.matchAll(BARE_HOST)) {
    if (found.size === MOST_LINKS) break;
    found.add(name.toLowerCase().replace(/:80$/, ''));
  }
  return found;
}

const unescapeAmpersands = (text: string): string => text.replaceAll(/&(?:amp|#38|#x26);/gi, '&');

/** A phrase of this length in a path was hardly chosen by whoever made the page. */
const LONG_PHRASE = 24;

/** Whether an address contains what was searched for: a word of it behind the question mark, or a long phrase anywhere. */
export function repeatsQuery(link: string, query: string): boolean {
  const url = new URL(link);
  const asked = bareWords(query);
  const parameters = bareWords(decodeLeniently(url.search)).join('');
  const phrase = asked.join('');
  if (asked.some((word) => word.length > 3 && parameters.includes(word))) return true;
  return phrase.length >= LONG_PHRASE && bareWords(decodeLeniently(url.href)).join('').includes(phrase);
}

const bareWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
