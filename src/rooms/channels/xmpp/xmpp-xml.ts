/**
 * Owns: the XML of XMPP, read as it comes and written. Pure.
 *
 * X1 Document types, instructions and comments are refused, as is what is too large or too deep.
 * X2 What is written contains no character that XML forbids, since a server ends the connection at the first.
 */
export type Element = {
  name: string;
  ns: string;
  attrs: Readonly<Record<string, string>>;
  children: readonly (Element | string)[];
};

/** An element to write; the namespace is an attribute, as it is in the stream. */
export type Markup = readonly [
  name: string,
  attrs: Readonly<Record<string, string | undefined>>,
  ...children: (Markup | string)[],
];

const MOST_CHARACTERS = 1024 * 1024;
const MOST_DEPTH = 64;
const NAME = String.raw`[^\s<>/="'&!?]+`;
const TAG = new RegExp(`<(/?)(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>`, 'y');
const ATTRIBUTE = new RegExp(`(${NAME})\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'g');

/** All that may begin with a mark; of both, a part may have come. */
const BEGINNINGS = ['<?xml', '<![CDATA['];

type Open = { element: Element & { children: (Element | string)[] }; scope: Readonly<Record<string, string>> };

/** Reads a stream in pieces; `onElement` gets the children of its root, one after the other. */
export class StreamReader {
  readonly #on: { element: (element: Element) => void; end: () => void };
  #rest = '';
  #open: Open[] = [];

  constructor(on: { element: (element: Element) => void; end: () => void }) {
    this.#on = on;
  }

  write(text: string): void {
    this.#rest += text;
    let at = 0;
    for (;;) {
      const next = this.#read(at);
      if (next === null) break;
      at = next;
    }
    this.#rest = this.#rest.slice(at);
    if (this.#rest.length > MOST_CHARACTERS) throw new Error('the server sent more at once than is accepted');
  }

  /** Where what follows begins; null while it is not all there. */
  #read(at: number): number | null {
    const text = this.#rest;
    if (at >= text.length) return null;
    if (text[at] !== '<') {
      const end = text.indexOf('<', at);
      if (end === -1) return null;
      this.#text(decode(text.slice(at, end)));
      return end;
    }
    if (text.startsWith('<?xml', at)) return after(text, '?>', at);
    if (text.startsWith('<![CDATA[', at)) {
      const end = after(text, ']]>', at);
      if (end !== null) this.#text(text.slice(at + 9, end - 3));
      return end;
    }
    TAG.lastIndex = at;
    const [all, slash, name = '', attributes = '', empty] = TAG.exec(text) ?? [];
    if (all === undefined) {
      const isStrange = /[!?]/.test(text[at + 1] ?? '') && !BEGINNINGS.some((each) => each.startsWith(text.slice(at)));
      if (isStrange) throw new Error('the server sent something that is no XML of XMPP');
      return null;
    }
    if (slash === '') this.#begin(name, attributes);
    if (slash !== '' || empty !== '') this.#end(slash === '' ? null : name);
    return at + all.length;
  }

  #begin(tag: string, attributes: string): void {
    const attrs: Record<string, string> = {};
    for (const [, key = '', double, single] of attributes.matchAll(ATTRIBUTE))
      attrs[key] = decode(double ?? single ?? '');
    const names = Object.entries(attrs).filter(([key]) => key === 'xmlns' || key.startsWith('xmlns:'));
    const outer = this.#open.at(-1)?.scope ?? {};
    const scope = names.length === 0 ? outer : { ...outer, ...Object.fromEntries(names) };
    const [prefix, name = tag] = tag.includes(':') ? tag.split(':', 2) : [undefined, tag];
    const ns = scope[prefix === undefined ? 'xmlns' : `xmlns:${prefix}`] ?? '';
    this.#open.push({ element: { name, ns, attrs, children: [] }, scope });
    if (this.#open.length > MOST_DEPTH) throw new Error('the server sent elements that are too deep');
  }

  #end(tag: string | null): void {
    const closed = this.#open.pop()?.element;
    if (closed === undefined || (tag !== null && tag.replace(/^[^:]*:/, '') !== closed.name))
      throw new Error('the server closed an element that is not open');
    if (this.#open.length === 0) this.#on.end();
    else if (this.#open.length === 1) this.#on.element(closed);
    else this.#open.at(-1)?.element.children.push(closed);
  }

  #text(text: string): void {
    if (this.#open.length > 1) this.#open.at(-1)?.element.children.push(text);
  }
}

function after(text: string, end: string, at: number): number | null {
  const found = text.indexOf(end, at);
  return found === -1 ? null : found + end.length;
}

const ENTITIES = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
]);

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&([^;&]*);?/g, (_all, name: string) => {
    const code = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name);
    const point = code === null ? null : Number.parseInt(code[1] ?? code[2] ?? '', code[1] === undefined ? 10 : 16);
    const known = ENTITIES.get(name) ?? (point !== null && point <= 0x10ffff ? String.fromCodePoint(point) : undefined);
    if (known === undefined) throw new Error('the server sent an entity that XMPP does not know');
    return known;
  });
}

/** What XML does not allow (X2). */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const encode = (text: string): string =>
  text
    .replaceAll(FORBIDDEN, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');

export function write([name, attrs, ...children]: Markup): string {
  const words = Object.entries(attrs).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${encode(value)}"`],
  );
  const inside = children.map((each) => (typeof each === 'string' ? encode(each) : write(each))).join('');
  return `<${name}${words.join('')}${inside === '' ? '/>' : `>${inside}</${name}>`}`;
}

/** The first child of this name, in this namespace if one is given. */
export const childOf = ({ children }: Element, name: string, ns?: string): Element | undefined =>
  children.find(
    (each): each is Element => typeof each !== 'string' && each.name === name && (ns === undefined || each.ns === ns),
  );

export const elementsOf = ({ children }: Element): Element[] =>
  children.filter((each): each is Element => typeof each !== 'string');

export const innerText = (element: Element | undefined): string =>
  element?.children.filter((each) => typeof each === 'string').join('') ?? '';
