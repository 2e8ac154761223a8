/**
 * Owns: which sentences of a text are a person's own words, and which passages are not.
 *
 * 1. Whole paragraphs of others are removed earlier (own-blocks.ts); here quotations and reports within paragraphs are.
 * 2. When in doubt, text is left out: a quotation that is never closed extends to the next heading.
 */
import { inAnyLanguage } from './languages/all-languages.ts';
import { type Block, MARKERS, parseOwnBlocks, REPORTS } from './own-blocks.ts';

/** A longer text is a document and not an instruction. */
const MAX_CHARACTERS = 60_000;
const MAX_SENTENCE_LENGTH = 400;

export function ownSentences(markdown: string): string[] {
  return readOwn(parseOwnBlocks(markdown.slice(0, MAX_CHARACTERS))).flatMap(({ sentences }) => sentences);
}

/** Each block with those of its sentences that are the person's own words. */
function readOwn(blocks: readonly Block[]): (Block & { sentences: string[] })[] {
  let quote: string | null = null;
  return blocks.map((block) => {
    if (block.kind === 'heading') quote = null;
    if (block.kind !== 'own') return { ...block, sentences: [] };
    const split = splitUnquoted(block.text, quote);
    quote = split.open;
    const sentences = beforeReport(split.sentences);
    return {
      ...block,
      sentences: sentences.filter((sentence) => sentence.length <= MAX_SENTENCE_LENGTH && !quotesMuch(sentence)),
    };
  });
}

/** A part of a text, and whether the person who wrote the text wrote it, too. */
type Passage = { text: string; isOwn: boolean };

/** All of a text but its front matter. What instructs somebody and is not clearly the person's is not theirs. */
export function splitByVoice(markdown: string): Passage[] {
  const sure = new Set(parseOwnBlocks(markdown).flatMap(({ kind, text }) => (kind === 'shown' ? [] : [text])));
  const passages: Passage[] = [];
  const add = (text: string, isOwn: boolean, between: string): void => {
    const last = passages.at(-1);
    if (last?.isOwn === isOwn) last.text += `${between}${text}`;
    else if (text !== '') passages.push({ text, isOwn });
  };
  for (const { kind, text, sentences } of readOwn(parseOwnBlocks(markdown, true))) {
    if (kind === 'shown' || !MARKERS.test(text)) add(text, kind !== 'shown', kind === 'shown' ? '\n' : '\n\n');
    else if (kind === 'own' && !sure.has(text)) add(text, false, '\n');
    else {
      const [flat, rest] = [
        toLine(text),
        sentences.reduce((left, each) => left.replace(each, ''), toLine(text)).trim(),
      ];
      const isOwn = kind === 'heading' || !MARKERS.test(rest);
      add(isOwn ? text : sentences.join(' '), true, '\n\n');
      if (!isOwn) add(rest === '' ? flat : rest, false, '\n');
    }
  }
  return passages;
}

const toLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** After a sentence that reports what others said, the rest of the paragraph may be the report. */
function beforeReport(sentences: readonly string[]): string[] {
  const reported = sentences.findIndex((sentence) => REPORTS.test(sentence.replace(INSTRUCTS, '')));
  return reported === -1 ? [...sentences] : sentences.slice(0, reported);
}

/** A quoted name is fine; a longer quotation belongs to somebody else. */
const quotesMuch = (sentence: string): boolean =>
  (sentence.match(/["“„«»‘`][^"“”„«»`]*["“”«»’`]/g) ?? []).some(
    (quoted) => quoted.split(/\s+/).length > MAX_QUOTED_WORDS,
  );

const MAX_QUOTED_WORDS = 5;

const CLOSES: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”',
  '„': '“',
  '«': '»',
  '»': '«',
  '‘': '’',
  '`': '`',
};

/** Returns the sentences that begin outside quotations, and the quotation still open at the end. */
function splitUnquoted(text: string, quote: string | null): { sentences: string[]; open: string | null } {
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
      closes = openingQuote(text, at);
      if (closes !== null || !isBreak(text, at)) continue;
      sentences.push(text.slice(from, at + 1));
      from = at + 1;
    }
  }
  if (closes === null) sentences.push(text.slice(from));
  const tidy = sentences.map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim());
  const own = tidy.filter((sentence) => sentence !== '' && openingQuote(sentence.replace(/^[*_]+/, ''), 0) === null);
  return { sentences: own, open: closes === '"' || closes === '”' || closes === '“' || closes === '»' ? closes : null };
}

function openingQuote(text: string, at: number): string | null {
  const letter = text[at] ?? '';
  if (letter === "'") return /[\s([]/.test(text[at - 1] ?? ' ') && /\p{L}/u.test(text[at + 1] ?? '') ? "'" : null;
  return CLOSES[letter] ?? null;
}

function isClosing(text: string, at: number, closes: string): boolean {
  if (text[at] !== closes && !(closes === '“' && text[at] === '”')) return false;
  return closes !== "'" || !/\p{L}/u.test(text[at + 1] ?? ' ');
}

const STARTS = new RegExp(
  `^[\\s*_]*(?:(?:${inAnyLanguage('please')}),? )?(?:${inAnyLanguage('starts')})(?![\\p{L}\\p{N}])`,
  'iu',
);
/** "From now on quote …": the verb is the instruction itself and introduces no report. */
const INSTRUCTS = new RegExp(
  `^[\\s*_]*(?:(?:${inAnyLanguage('please')}),? )?(?:(?:${inAnyLanguage('starts')}),? )+(?:${inAnyLanguage('instructs')})(?![\\p{L}\\p{N}])`,
  'iu',
);
const SHORTENED = new RegExp(`(?<![\\p{L}\\p{N}])(?:${inAnyLanguage('abbreviations')})\\.$`, 'iu');

/** A break is a full stop, or a line break before the beginning of a statement. */
function isBreak(text: string, at: number): boolean {
  if (text[at] === '\n') return STARTS.test(text.slice(at + 1, at + 60));
  if (!/[.!?]/.test(text[at] ?? '') || !/[\s)\]*_]/.test(text[at + 1] ?? ' ')) return false;
  return !SHORTENED.test(text.slice(Math.max(0, at - 6), at + 1));
}
