/**
 * Owns: whether a text contains a quotation. Pure.
 *
 * White space, case, marks of tables and of Markdown, typographic quotation marks and the marks of a diff are presentation:
 * a quotation may differ in them. Nothing else may differ.
 */
import { escapeInvisible } from '../../../core/schema/one-line.ts';

/** The parts of a quotation, each of which has to stand somewhere: what is left out between them is marked. */
export function quotedParts(quote: string): string[] {
  return escapeInvisible(quote)
    .split(/\n|…|\.{3}|\[\s*\]/)
    .map((part) => part.trim())
    .filter((part) => foldText(part) !== '');
}

export function isQuotedIn(part: string, text: string): boolean {
  const wanted = foldText(part);
  return wanted === '' || foldedForms(text).some((form) => form.includes(wanted));
}

/** Whether a text has the words of a quotation one after another, however they are set: as when a file was formatted anew. */
export function hasWordsOf(part: string, text: string): boolean {
  const words = (of: string): string => ` ${(foldText(of).match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')} `;
  return words(part).trim() !== '' && words(text).includes(words(part));
}

/** A text without what is only presentation. */
export function foldText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[“”„«»‘’‚]/g, (mark) => (/[‘’‚]/.test(mark) ? "'" : '"'))
    .replaceAll(/[–—−]/g, '-')
    .replaceAll(/(?<=^|\|)\s*:?-{3,}:?\s*(?=\||$)/gm, ' ')
    .replaceAll(/[*`]/g, '')
    .replaceAll(/[|¦│┃]/g, ' ')
    .replaceAll(/^\s*["']|["']\s*$/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** As it stands, and without the marks or numbers that a diff or a listing puts before each line. */
function foldedForms(text: string): string[] {
  const shown = escapeInvisible(text);
  const bare = shown.replaceAll(/^(?:[+-] ?| *\d+[:|] ?)/gm, '');
  const joined = shown.replaceAll(/\\n/g, '\n').replaceAll(String.raw`\"`, '"');
  return [shown, bare, joined].map(foldText);
}
