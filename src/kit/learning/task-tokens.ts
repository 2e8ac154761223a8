/**
 * Owns: splitting task text into tokens, and recognising by its form what varies from task to task: paths, file names,
 * quoted text, numbers, dates, times, URLs, mail addresses.
 *
 * 1. Every token is a slice of the text; between two tokens there is only whitespace.
 * 2. Tokenizing takes time linear in the length of the text, whatever it contains.
 */
import { hash } from 'node:crypto';

export type TokenForm = 'url' | 'mail' | 'date' | 'path' | 'number' | 'quoted' | 'hole' | 'word' | 'mark' | 'line';
/** Consecutive line ends are one token. */
export type Token = { text: string; look: TokenForm; at: number; length: number };

/** Private-use characters replace parameters while a template is tokenized; no task may contain them. */
const FIRST_HOLE = 0xe000;
const PRIVATE = /[\uE000-\uF8FF]/;
const MAX_HOLES = 1000;
const MAX_TEXT_LENGTH = 20_000;
const MAX_QUOTE_LENGTH = 500;

const NAME = String.raw`[\p{L}\p{N}_.@+~-]`;
const LAST = String.raw`(?:[\p{L}\p{N}_@+~-]|\.(?=[\p{L}\p{N}]))`;
const DAY = String.raw`\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d{1,6})?Z?)?|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{1,2}:\d\d(?::\d\d)?`;
const WORD = String.raw`[\p{L}\p{N}_@+~-]{1,100}`;
const PATH = String.raw`\/?(?:${NAME}{1,100}\/){1,40}${LAST}{0,100}|${WORD}(?:\.${WORD}){0,10}\.[A-Za-z][A-Za-z0-9]{0,9}(?![\p{L}\p{N}])`;
const TOKEN = new RegExp(
  [
    String.raw`(?<url>https?:\/\/[^\s<>"'\x60)\]]{1,2000})`,
    String.raw`(?<mail>[\p{L}\p{N}_.+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8})`,
    String.raw`(?<date>(?:${DAY})(?![\p{L}\p{N}]))`,
    `(?<path>${PATH})`,
    String.raw`(?<number>\d+(?:[.,]\d+){0,20}(?![\p{L}]))`,
    String.raw`(?<hole>[\uE000-\uF8FF])`,
    String.raw`(?<word>[\p{L}\p{N}_]+(?:['’-][\p{L}\p{N}_]+)*)`,
    String.raw`(?<line>\n\s*)`,
    String.raw`(?<mark>\S)`,
  ].join('|'),
  'yu',
);
const LOOKS = ['url', 'mail', 'date', 'path', 'number', 'hole', 'word', 'line', 'mark'] as const;
const BLANKS = /[^\S\n]*/y;
const CLOSING: Readonly<Record<string, string>> = { '"': '"', '`': '`', '“': '”', "'": "'" };

/** Returns null when the text is too long or contains what a template cannot. */
export function tokenize(text: string): Token[] | null {
  return text.length > MAX_TEXT_LENGTH || PRIVATE.test(text) || text.includes('{{') ? null : tokenizeText(text);
}

/** Tokenizes a template with {{name}} in it; the text of a hole is the name of its parameter. */
export function tokenizeTemplate(template: string): Token[] {
  const names: string[] = [];
  const text = template.replaceAll(/\{\{([a-z][a-z0-9_]*)\}\}/g, (_, name: string) => {
    if (names.length >= MAX_HOLES) return '';
    names.push(name);
    return String.fromCodePoint(FIRST_HOLE + names.length - 1);
  });
  return tokenizeText(text).map((token) =>
    /^[\uE000-\uF8FF]$/.test(token.text)
      ? { ...token, look: 'hole', text: names[(token.text.codePointAt(0) ?? 0) - FIRST_HOLE] ?? '' }
      : token,
  );
}

function tokenizeText(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = skipBlanks(text, 0); at < text.length; at = skipBlanks(text, at)) {
    const found = readQuoted(text, at) ?? [readToken(text, at)];
    tokens.push(...found);
    const { at: start, length } = found.at(-1) ?? { at, length: 1 };
    at = start + length;
  }
  while (tokens.at(-1)?.look === 'line') tokens.pop();
  return tokens[0]?.look === 'line' ? tokens.slice(1) : tokens;
}

function skipBlanks(text: string, at: number): number {
  BLANKS.lastIndex = at;
  return at + (BLANKS.exec(text)?.[0].length ?? 0);
}

function readToken(text: string, at: number): Token {
  TOKEN.lastIndex = at;
  const groups = TOKEN.exec(text)?.groups ?? {};
  const look = LOOKS.find((each) => groups[each] !== undefined) ?? 'mark';
  const found = groups[look] ?? text[at] ?? '';
  return { look, text: look === 'line' ? '\n' : found, at, length: found.length };
}

/** Quoted text on one line is one token, and each quote is one. */
function readQuoted(text: string, at: number): Token[] | null {
  const open = text[at] ?? '';
  const close = CLOSING[open];
  if (close === undefined) return null;
  const rest = text.slice(at + 1, at + 2 + MAX_QUOTE_LENGTH);
  const end = rest.indexOf(close);
  const inner = rest.slice(0, Math.max(0, end));
  if (end < 1 || inner.includes('\n') || inner.trim() !== inner) return null;
  if (open === "'" && /^[\p{L}\p{N}]/u.test(rest.slice(end + 1))) return null;
  return [
    { look: 'mark', text: open, at, length: 1 },
    { look: classifyText(inner), text: inner, at: at + 1, length: inner.length },
    { look: 'mark', text: close, at: at + 1 + inner.length, length: 1 },
  ];
}

/** The form of a text taken as a whole. */
export function classifyText(text: string): TokenForm {
  const { look, text: found } = readToken(text, 0);
  return found === text && look !== 'word' && look !== 'mark' ? look : 'quoted';
}

const VARIABLE_LOOKS: ReadonlySet<TokenForm> = new Set(['url', 'mail', 'date', 'path', 'number', 'quoted']);

export const isVariable = ({ look }: Pick<Token, 'look'>): boolean => VARIABLE_LOOKS.has(look);

/** The text without what varies. Tasks with the same skeleton belong to one family. */
export function toSkeleton(tokens: readonly Token[]): string {
  return tokens.map((token) => (isVariable(token) ? `{${token.look}}` : token.text.toLowerCase())).join(' ');
}

/** Ignores case, because a word may begin a sentence. */
export const isSameText = (a: string, b: string): boolean => a === b || a.toLowerCase() === b.toLowerCase();

export const shortHash = (text: string, length: number): string => hash('sha256', text).slice(0, length);
