/**
 * Owns: which sentences of a text are a person's own words.
 *
 * 1. Whole paragraphs of others are left out before (blocks.ts); here it is quotations and reports inside of them.
 * 2. What is in doubt is not taken: a quotation that is never closed goes on to the next heading.
 */
import { blocksOf, REPORTS } from './blocks.ts';

/** More than this is not an instruction but a document. */
const MOST_CHARACTERS = 60_000;
const LONGEST_SENTENCE = 400;

export function ownSentences(markdown: string): string[] {
  const sentences: string[] = [];
  let quote: string | null = null;
  for (const block of blocksOf(markdown.slice(0, MOST_CHARACTERS))) {
    if (block.kind === 'heading') quote = null;
    else {
      const told = unquoted(block.text, quote);
      quote = told.open;
      sentences.push(...untilReported(told.sentences));
    }
  }
  return sentences.filter((sentence) => sentence.length <= LONGEST_SENTENCE && !quotesMuch(sentence));
}

/** Behind a sentence that reports, the rest of a paragraph may be the report. */
function untilReported(sentences: readonly string[]): string[] {
  const reported = sentences.findIndex((sentence) => REPORTS.test(sentence));
  return reported === -1 ? [...sentences] : sentences.slice(0, reported);
}

/** A name may stand in quotation marks; a whole saying is somebody's. */
const quotesMuch = (sentence: string): boolean =>
  (sentence.match(/["“„«»‘`][^"“”„«»`]*["“”«»’`]/g) ?? []).some((quoted) => quoted.split(/\s+/).length > MOST_QUOTED);

const MOST_QUOTED = 5;

const CLOSES: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”',
  '„': '“',
  '«': '»',
  '»': '«',
  '‘': '’',
  '`': '`',
};

/** Sentences that begin outside of quotations, and the quotation that is still open at the end. */
function unquoted(text: string, quote: string | null): { sentences: string[]; open: string | null } {
  const sentences: string[] = [];
  let closes = quote;
  let isCarried = quote !== null;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (closes !== null) {
      if (!isClosing(text, at, closes)) continue;
      closes = null;
      if (isCarried) from = at + 1;
      isCarried = false;
    } else {
      closes = opening(text, at);
      if (closes !== null || !isBreak(text, at)) continue;
      sentences.push(text.slice(from, at + 1));
      from = at + 1;
    }
  }
  if (closes === null) sentences.push(text.slice(from));
  const tidy = sentences.map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim());
  const own = tidy.filter((sentence) => sentence !== '' && opening(sentence.replace(/^[*_]+/, ''), 0) === null);
  return { sentences: own, open: closes === '"' || closes === '”' || closes === '“' || closes === '»' ? closes : null };
}

function opening(text: string, at: number): string | null {
  const letter = text[at] ?? '';
  if (letter === "'") return /[\s([]/.test(text[at - 1] ?? ' ') && /\p{L}/u.test(text[at + 1] ?? '') ? "'" : null;
  return CLOSES[letter] ?? null;
}

function isClosing(text: string, at: number, closes: string): boolean {
  if (text[at] !== closes && !(closes === '“' && text[at] === '”')) return false;
  return closes !== "'" || !/\p{L}/u.test(text[at + 1] ?? ' ');
}

const STARTS =
  /^[\s*_]*(?:please |bitte )?(?:always|never|from now on|remember|note that|i prefer|we prefer|immer|niemals|nie|ab jetzt|ab sofort|merke? dir|ich bevorzuge)\b/i;
const SHORTENED = /\b(?:e\.g|i\.e|etc|vs|no|nr|z\.b|d\.h|ca|mr|mrs|dr)\.$/i;

/** Behind a full stop, or at a new line that begins as a statement does. */
function isBreak(text: string, at: number): boolean {
  if (text[at] === '\n') return STARTS.test(text.slice(at + 1, at + 60));
  if (!/[.!?]/.test(text[at] ?? '') || !/[\s)\]*_]/.test(text[at + 1] ?? ' ')) return false;
  return !SHORTENED.test(text.slice(Math.max(0, at - 6), at + 1));
}
