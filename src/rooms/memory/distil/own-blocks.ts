/**
 * Owns: which paragraphs and list items of a markdown text may be a person's own words.
 *
 * 1. Fences, code, quotations, tables, markup, mails and transcripts are material that a person shows, not statements.
 * 2. So is what follows a line that ends in a colon, unless that line announces the person's own rules.
 * 3. So is a document that follows a request to do something with one, or a question: what has headings or title lines of
 *    its own, or comes to an instruction only after having said something else.
 */

import { inAnyLanguage } from './languages/all-languages.ts';
import { words } from './languages/language.ts';

/** `shown` is what somebody else may have written. */
export type Block = { kind: 'heading' | 'own' | 'shown'; text: string; isItem?: boolean };

/** How long the following lines are not the person's own, and the state after that. */
type Hidden =
  | { kind: 'no' }
  | { kind: 'fence'; mark: string; back: Hidden }
  | { kind: 'comment'; back: Hidden }
  | { kind: 'tag'; name: string; back: Hidden }
  /** The next paragraph or list. */
  | { kind: 'next' }
  | { kind: 'block' }
  | { kind: 'section' }
  | { kind: 'rest' };

const NOT_HIDDEN: Hidden = { kind: 'no' };
const HEADING = /^ {0,3}#{1,6}\s/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const FENCE = /^\s*(?:[-*+]\s+)?(`{3,}|~{3,})/;
const NOT_OWN_LINE =
  /^(?: {4}|\t| {0,3}[>|]|\s*\S+\s*\|\s|\s*[{[\]}]|\s*[-+*]?\s*(?:\/\/|\/\*)|\s*(?:user|assistant|system|human|ai|bot|tool)\s*:)/i;
const FORWARDED = new RegExp(`^[-_*\\s]{3,}(?:${inAnyLanguage('forwarded')})|^begin forwarded`, 'iu');
const MAIL_HEAD = new RegExp(`^\\s*(?:${inAnyLanguage('mailHeads')})\\s*:\\s*\\S`, 'iu');
/** "Dear Ms Lund,": the letter of somebody to somebody; a greeting of oka itself is none. */
const GREETING = new RegExp(
  `^\\s*(?:(?:${inAnyLanguage('greetings')})\\s+(?!(?:oka|all|team)\\b)(?:\\p{L}+ )?(?:\\p{Lu}[\\p{L}.'-]*\\s*){1,4}|Dear (?:all|team|colleagues|everyone))[,:!]\\s*$`,
  'u',
);
/** Lines of a conversation ("10:02 - Eve: …") and rows of a file; two that follow each other are no prose. */
const TALK = /^\s*(?:\[?[\d:., /-]{4,20}\]?\s*[-–]?\s*)?\p{Lu}[\p{L}.'-]*(?: \p{Lu}[\p{L}.'-]*){0,2}: \S/u;
const ROW = /^[^,;\t]*[\p{L}\d][,;\t]\p{L}/u;
const isRowOf = (line: string, next: string | undefined): boolean =>
  next !== undefined && [TALK, ROW].some((row) => row.test(line) && row.test(next) && !OWN_LINE.test(line));

/** `isLenient`: a list that the person announces without a word about its origin is the person's, too. */
export function parseOwnBlocks(markdown: string, isLenient = false): Block[] {
  const blocks = parseBlocks(markdown, (text) => {
    const hidden = hiddenAfterIntroduction(text);
    return isLenient && hidden.kind === 'next' ? NOT_HIDDEN : hidden;
  });
  return hideDocument(blocks);
}

function hideDocument(blocks: readonly Block[]): Block[] {
  const asked = blocks.findIndex(({ kind }) => kind === 'own');
  const request = blocks[asked]?.text ?? '';
  const handles = (HANDLES.test(request) && SHOWS.test(request)) || HERE.test(request);
  if (!(handles || SHOWS.test(request) || request.endsWith('?')) || blocks.some(({ kind }) => kind === 'shown'))
    return [...blocks];
  const from = blocks.findIndex(({ kind, text, isItem }, at) => {
    if (at <= asked || isItem === true) return false;
    return (kind === 'heading' ? handles : TITLE.test(text)) || (MARKERS.test(text) && !OWN_LINE.test(text));
  });
  return blocks.map((block, at) => (from !== -1 && at >= from ? { kind: 'shown', text: block.text } : block));
}

/** A first line without an end, behind which there is more, or one that is numbered by paragraphs. */
const TITLE = /^(?:§|[^.!?:;,\n]{3,70}(?:\n|$))/u;
const HERE = words(inAnyLanguage('here'));
/** Words of instructions. */
export const MARKERS = words(inAnyLanguage('starts'));

export const withoutFrontMatter = (markdown: string): string =>
  markdown.replaceAll(/\r\n?/g, '\n').replace(/^\uFEFF?---\s*\n(?:[^]*?\n---\s*(?:\n|$)|[^]*)/, '');

function parseBlocks(markdown: string, afterIntroduction: (text: string) => Hidden): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let hidden: Hidden = NOT_HIDDEN;
  let isItem = false;
  const end = (): void => {
    const text = lines.join('\n').trim();
    lines = [];
    if (text === '') return;
    const shown = startOfShown(text);
    blocks.push({ kind: 'own', text: text.slice(0, shown).trim(), isItem });
    hidden = shown < text.length ? hiddenAfterShown(text.slice(shown)) : afterIntroduction(text);
    if (shown < text.length) blocks.push({ kind: 'shown', text: text.slice(shown).trim() });
  };
  const all = withoutFrontMatter(markdown).split('\n');
  for (const [at, line] of all.entries()) {
    const opened = openHidden(line, all[at + 1], hidden);
    const isPart = hidden.kind === 'no' && opened.kind === 'no' && !HEADING.test(line) && line.trim() !== '';
    if (!isPart || ITEM.test(line)) end();
    hidden = hiddenAfter(hidden, line, all[at + 1]);
    if (hidden.kind !== 'no') {
      blocks.push({ kind: 'shown', text: line });
      continue;
    }
    if (HEADING.test(line)) blocks.push({ kind: 'heading', text: line });
    else if (isPart) {
      if (lines.length === 0) isItem = ITEM.test(line);
      lines.push(line.replace(ITEM, ''));
    }
    if (line.trimEnd().endsWith(':')) end();
  }
  end();
  return blocks;
}

function openHidden(line: string, next: string | undefined, back: Hidden): Hidden {
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) return { kind: 'fence', mark: fence, back };
  if (FORWARDED.test(line)) return { kind: 'rest' };
  if (MAIL_HEAD.test(line) && next !== undefined && MAIL_HEAD.test(next)) return { kind: 'rest' };
  if (GREETING.test(line)) return { kind: 'rest' };
  if (/^\s*<!--/.test(line)) return line.includes('-->') ? { kind: 'block' } : { kind: 'comment', back };
  const tag = /^\s*<([A-Za-z][\w-]*)/.exec(line)?.[1];
  if (tag !== undefined) return line.includes(`</${tag}`) ? { kind: 'block' } : { kind: 'tag', name: tag, back };
  return NOT_OWN_LINE.test(line) || isRowOf(line, next) ? { kind: 'block' } : NOT_HIDDEN;
}

/** The state from this line on; the line itself is hidden unless the state is NOT_HIDDEN. */
function hiddenAfter(hidden: Hidden, line: string, next: string | undefined): Hidden {
  const opened = openHidden(line, next, hidden);
  const isHeading = HEADING.test(line);
  switch (hidden.kind) {
    case 'rest':
      return hidden;
    case 'fence':
      return /^\s*(?:`+|~+)\s*$/.test(line) && line.trim().startsWith(hidden.mark) ? hidden.back : hidden;
    case 'comment':
      return line.includes('-->') ? hidden.back : hidden;
    case 'tag':
      return line.includes(`</${hidden.name}`) ? hidden.back : hidden;
    case 'section':
      if (opened.kind !== 'no' && opened.kind !== 'block') return opened;
      return isHeading && !SHOWS.test(line) ? NOT_HIDDEN : hidden;
    case 'next':
      if (line.trim() === '') return hidden;
      return opened.kind !== 'no' ? opened : isHeading ? hiddenUnderHeading(line) : { kind: 'block' };
    case 'block':
      if (opened.kind !== 'no') return opened;
      return isHeading ? hiddenUnderHeading(line) : line.trim() === '' ? NOT_HIDDEN : hidden;
    case 'no':
      return opened.kind !== 'no' ? opened : isHeading ? hiddenUnderHeading(line) : NOT_HIDDEN;
  }
}

const hiddenUnderHeading = (heading: string): Hidden => (SHOWS.test(heading) ? { kind: 'section' } : NOT_HIDDEN);

/** Phrases that introduce what somebody else said. */
export const REPORTS = words(inAnyLanguage('reports'));
/** Verbs that introduce material to work on. */
const HANDLES = words(inAnyLanguage('handles'));
const SHOWS = words(`(?:${inAnyLanguage('shows')})s?`);
/** Phrases that announce the person's own rules. */
const OWN = new RegExp(`(?<![\\p{L}\\p{N}])(?:${inAnyLanguage('own')})(?![\\p{L}\\p{N}])[^:]*:$`, 'iu');

/** "Important: …" is how people begin lines of their own. */
const OWN_LINE = new RegExp(
  `^[\\s@*_]*(?:oka\\W+)?(?:(?:${inAnyLanguage('lead')})\\W+)*(?:${inAnyLanguage('own')}|${inAnyLanguage('starts')}|${inAnyLanguage('please')})(?![\\p{L}\\p{N}])`,
  'iu',
);

/** A line that ends in a colon introduces something, mostly by others. */
function hiddenAfterIntroduction(text: string): Hidden {
  if (!text.trimEnd().endsWith(':')) return NOT_HIDDEN;
  const last = text.slice(-300);
  if (REPORTS.test(last) || SHOWS.test(last) || HANDLES.test(last)) return { kind: 'section' };
  return OWN.test(last) ? NOT_HIDDEN : { kind: 'next' };
}

/** "Eve's postcard". */
const POSSESSED = /\p{Lu}\p{L}*['’]s?(?: \p{L}+){1,2}$/u;

/** Where the material begins that a sentence introduces and that follows in the same paragraph: the end when none does. */
function startOfShown(text: string): number {
  for (const { index, 0: mark } of text.matchAll(/:\s+(?=\S)/g)) {
    const sentence =
      text
        .slice(Math.max(0, index - 300), index)
        .split(/[.!?]\s+/)
        .at(-1) ?? '';
    if (OWN.test(`${sentence}:`) && !REPORTS.test(sentence)) continue;
    const isShown = [REPORTS, SHOWS, HANDLES, POSSESSED].some((pattern) => pattern.test(sentence));
    if (isShown) return index + mark.length;
  }
  return text.length;
}

/** A quotation that is not closed goes on in the next paragraph. */
const hiddenAfterShown = (shown: string): Hidden =>
  (shown.match(/["“”„«»]/g) ?? []).length % 2 === 1 ? { kind: 'section' } : NOT_HIDDEN;
