/**
 * Sentences in the language of the reader. English is what the source says and the key of every translation; `{}` is where
 * a part stands. The document loads the words of another language before any module, so that all of them find them.
 */
export type Words = Readonly<Record<string, string>>;
export type Say = (sentence: string, ...parts: readonly (string | number)[]) => string;

const given = globalThis as { okaWords?: Words; document?: { documentElement: { lang: string } } };
const words = given.okaWords ?? null;

/** For numbers and times: as this browser writes them, if it speaks the language of the page. */
export const locale = localeOf(given.document?.documentElement.lang);

function localeOf(language: string | undefined): string | undefined {
  if (language === undefined) return undefined;
  return navigator.languages.find((each) => each.split('-')[0] === language) ?? language;
}

/** The sentence, with its parts in their places: t('{} of {} free', free, total). */
export const t: Say = (sentence, ...parts) => fillIn(words?.[sentence] ?? sentence, parts);

/** What the server says with numbers in it: each is a place. */
export function sayNumbers(sentence: string): string {
  const numbers = sentence.match(/\d+(?:\.\d+)?/g) ?? [];
  return t(sentence.replace(/\d+(?:\.\d+)?/g, '{}'), ...numbers);
}

/** A translation may name a place by its number, `{2}`, to put it elsewhere. */
export function fillIn(sentence: string, parts: readonly (string | number)[]): string {
  let next = 0;
  return sentence.replace(/\{(\d?)\}/g, (_, at: string) => String(parts[at === '' ? next++ : Number(at) - 1] ?? ''));
}

/** The static text of a template in other words, and in which order its values stand then. */
type Said = { strings: TemplateStringsArray; order: readonly number[] };
const said = new Map<TemplateStringsArray, Said | null>();

/** null where the template is as it was. */
export function sayTemplate(strings: TemplateStringsArray): Said | null {
  if (words === null) return null;
  const known = said.get(strings);
  if (known !== undefined) return known;
  const fresh = translateTemplate(strings, (sentence) => words[sentence]);
  said.set(strings, fresh);
  return fresh;
}

/** Stands for a value while a template is taken apart. */
const FIRST = 0xe000;
const VALUE = /[\uE000-\uF8FF]/;
const TAG = /<(?:"[^"]*"|[^">])*>/g;
const READ = /(\s(?:title|aria-label|placeholder|label|alt|about|word|summary)=")([^"]+)(?=")/g;
/** What may stand within a sentence, and what of it is never translated. */
const INLINE = /^<\/?(?:a|strong|em|small|span)\b/;
const OPAQUE = /^<(?:code|kbd)\b/;
const WHOLE = /^<(?:[\uE000-\uF8FF].*\/|br \/)>$/s;

export function translateTemplate(
  strings: readonly string[],
  find: (sentence: string) => string | undefined,
): Said | null {
  const source = strings.reduce((text, part, at) => text + String.fromCharCode(FIRST + at - 1) + part);
  const result = sayRuns(piecesOf(source), find);
  if (result === source) return null;
  const order = (result.match(new RegExp(VALUE, 'g')) ?? []).map((each) => each.charCodeAt(0) - FIRST);
  const parts = result.split(VALUE);
  return { strings: Object.assign(parts, { raw: parts }), order };
}

/** Tags and the texts between them; of what is not translated, all in one piece. */
function piecesOf(source: string): string[] {
  const pieces: string[] = [];
  let at = 0;
  for (const { 0: tag, index } of source.matchAll(TAG)) {
    if (index < at) continue;
    pieces.push(source.slice(at, index));
    const end = OPAQUE.test(tag) && !tag.endsWith('/>') ? source.indexOf('>', source.indexOf('</', index)) + 1 : 0;
    at = Math.max(end, index + tag.length);
    pieces.push(source.slice(index, at));
  }
  return [...pieces, source.slice(at)];
}

type Find = (sentence: string) => string | undefined;

/** A run is what stands side by side without a break: texts, values, and marks within a sentence. */
function sayRuns(pieces: readonly string[], find: Find): string {
  let result = '';
  let run: string[] = [];
  const end = (): void => {
    result += sayRun(run, find);
    run = [];
  };
  for (const piece of pieces)
    if (!piece.startsWith('<') || INLINE.test(piece) || OPAQUE.test(piece) || WHOLE.test(piece)) run.push(piece);
    else {
      end();
      result += sayAttributes(piece, find);
    }
  end();
  return result;
}

const sayAttributes = (tag: string, find: Find): string =>
  tag.replace(READ, (_, before: string, text: string) => before + sayRun([text], find));

/** Marks around words are part of their sentence; beside nothing but values they are sentences of their own. */
function sayRun(run: readonly string[], find: Find): string {
  let depth = 0;
  const outside = run.filter((piece) => {
    if (INLINE.test(piece)) depth += piece.startsWith('</') ? -1 : piece.endsWith('/>') ? 0 : 1;
    return depth === 0 && !piece.startsWith('<');
  });
  if (!outside.some((text) => /\p{L}/u.test(text.replace(/&\w+;|[\uE000-\uF8FF]/g, '')))) return sayInner(run, find);
  const places: string[] = [];
  const marks: string[] = [];
  const sentence = run.map((piece) => (INLINE.test(piece) ? mark(piece, marks, find) : place(piece, places, find)));
  const [, before = '', key = '', after = ''] = /^(\s*)(.*?)(\s*)$/s.exec(sentence.join('')) ?? [];
  const found = find(key.replace(/\s+/g, ' '));
  return found === undefined ? run.join('') : before + putBack(found, places, marks) + after;
}

function mark(tag: string, marks: string[], find: Find): string {
  if (tag.startsWith('</')) return '</>';
  marks.push(sayAttributes(tag, find), tag.replace(/^<(\w+)[^]*$/, '</$1>'));
  return '<>';
}

function place(piece: string, places: string[], find: Find): string {
  if (piece.startsWith('<')) return `{${places.push(sayAttributes(piece, find)) && ''}}`;
  return piece.replace(new RegExp(VALUE, 'g'), (value) => `{${places.push(value) && ''}}`);
}

function putBack(found: string, places: readonly string[], marks: readonly string[]): string {
  let next = 0;
  const open: string[] = [];
  return fillIn(found, places).replace(/<\/?>/g, (tag) => {
    if (tag === '</>') return open.pop() ?? '';
    open.push(marks[next + 1] ?? '');
    next += 2;
    return marks[next - 2] ?? '';
  });
}

/** What is inside the marks of a run without words of its own. */
function sayInner(run: readonly string[], find: Find): string {
  let depth = 0;
  let inner: string[] = [];
  let result = '';
  for (const piece of run) {
    if (INLINE.test(piece) && !piece.endsWith('/>')) {
      const isEnd = piece.startsWith('</');
      depth += isEnd ? -1 : 1;
      if (depth === (isEnd ? 0 : 1)) {
        result += isEnd ? sayRun(inner, find) + piece : sayAttributes(piece, find);
        inner = [];
        continue;
      }
    }
    if (depth > 0) inner.push(piece);
    else result += piece.startsWith('<') ? sayAttributes(piece, find) : piece;
  }
  return result + inner.join('');
}

/** Every sentence that a template says, with its places; what the translations are checked against. */
export function sentencesIn(strings: readonly string[]): string[] {
  const found: string[] = [];
  translateTemplate(strings, (sentence) => void found.push(sentence));
  return found;
}
