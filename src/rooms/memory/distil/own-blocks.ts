/**
 * Owns: which paragraphs and list items of a markdown text may be a person's own words.
 *
 * 1. Fences, code, quotations, tables, markup, mails and transcripts are material that a person shows, not statements.
 * 2. So is what follows a line that ends in a colon, unless that line announces the person's own rules.
 */

import { inAnyLanguage } from './languages/all-languages.ts';
import { words } from './languages/language.ts';

/** `shown` is what somebody else may have written. */
type Block = { kind: 'heading' | 'own' | 'shown'; text: string };

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
  /^(?: {4}|\t| {0,3}[>|]|\s*\S+\s*\|\s|\s*[{[\]}]|\s*(?:user|assistant|system|human|ai|bot|tool)\s*:)/i;
const FORWARDED = new RegExp(`^[-_*\\s]{3,}(?:${inAnyLanguage('forwarded')})|^begin forwarded`, 'iu');
const MAIL_HEAD = new RegExp(`^\\s*(?:${inAnyLanguage('mailHeads')})\\s*:\\s*\\S`, 'iu');
/** "Dear Ms Lund,": the letter of somebody to somebody; a greeting of oka itself is none. */
const GREETING = new RegExp(
  `^\\s*(?:${inAnyLanguage('greetings')})\\s+(?!(?:oka|all|team)\\b)(?:\\p{Lu}[\\p{L}.'-]*\\s*){1,4},\\s*$`,
  'u',
);

export function parseOwnBlocks(markdown: string): Block[] {
  return parseBlocks(markdown, hiddenAfterIntroduction);
}

/** A part of a text, and whether the person who wrote the text wrote it, too. */
type Passage = { text: string; isOwn: boolean };

/** All of a text but its front matter. A list that the person announces without a word about its origin is the person's. */
export function splitByVoice(markdown: string): Passage[] {
  const afterIntroduction = (text: string): Hidden => {
    const hidden = hiddenAfterIntroduction(text);
    return hidden.kind === 'next' ? NOT_HIDDEN : hidden;
  };
  const passages: Passage[] = [];
  for (const { kind, text } of parseBlocks(markdown, afterIntroduction)) {
    const [last, isOwn] = [passages.at(-1), kind !== 'shown'];
    if (last?.isOwn === isOwn) last.text += `\n${kind === 'shown' ? '' : '\n'}${text}`;
    else passages.push({ text, isOwn });
  }
  return passages;
}

export const withoutFrontMatter = (markdown: string): string =>
  markdown.replaceAll(/\r\n?/g, '\n').replace(/^\uFEFF?---\s*\n(?:[^]*?\n---\s*(?:\n|$)|[^]*)/, '');

function parseBlocks(markdown: string, afterIntroduction: (text: string) => Hidden): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  let hidden: Hidden = NOT_HIDDEN;
  const end = (): void => {
    const text = lines.join('\n').trim();
    lines = [];
    if (text === '') return;
    const shown = startOfShown(text);
    blocks.push({ kind: 'own', text: text.slice(0, shown).trim() });
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
    else if (isPart) lines.push(line.replace(ITEM, ''));
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
  return NOT_OWN_LINE.test(line) ? { kind: 'block' } : NOT_HIDDEN;
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

/** A line that ends in a colon introduces something, mostly by others. */
function hiddenAfterIntroduction(text: string): Hidden {
  if (!text.trimEnd().endsWith(':')) return NOT_HIDDEN;
  const last = text.slice(-300);
  if (REPORTS.test(last) || SHOWS.test(last) || HANDLES.test(last)) return { kind: 'section' };
  return OWN.test(last) ? NOT_HIDDEN : { kind: 'next' };
}

/** Where the material begins that a sentence introduces and that follows in the same paragraph: the end when none does. */
function startOfShown(text: string): number {
  for (const { index, 0: mark } of text.matchAll(/:\s+(?=\S)/g)) {
    const sentence =
      text
        .slice(Math.max(0, index - 300), index)
        .split(/[.!?]\s+/)
        .at(-1) ?? '';
    if (OWN.test(`${sentence}:`) && !REPORTS.test(sentence)) continue;
    if (REPORTS.test(sentence) || SHOWS.test(sentence) || HANDLES.test(sentence)) return index + mark.length;
  }
  return text.length;
}

/** A quotation that is not closed goes on in the next paragraph. */
const hiddenAfterShown = (shown: string): Hidden =>
  (shown.match(/["“”„«»]/g) ?? []).length % 2 === 1 ? { kind: 'section' } : NOT_HIDDEN;
