/**
 * Owns: asking a model to describe a file or a folder, and checking what its sentences rest on.
 *
 * F1 Every line of the answer is one sentence and names the lines, or the entries, that it rests on; these exist, and
 *    have the names in it. Lines of a file have at least one of its words.
 * F2 A name in backticks is in the lines, or in the description of the entry, that the sentence names.
 * F3 Text of files, and descriptions that were made from them, are material between marks.
 */
import type { ModelAnswer, ModelRequest } from '../../../core/schema/ports.ts';
import { DATA_RULE } from '../../../kit/text/graph-prompt.ts';
import { extractTerms } from '../../../kit/text/terms.ts';
import type { Problem } from '../../../kit/text/model-call.ts';
import { truncateText, wrapAsData } from '../../../kit/text/prompt-text.ts';

type DescribedFile = { of: 'file'; path: string; text: string; wish: string | undefined };
type DescribedFolder = {
  of: 'folder';
  path: string;
  /** Descriptions of entries; those that have not changed since `before` was written are left out. */
  children: readonly { name: string; frame: { content: string; agent: string } }[];
  /** All entries that a sentence may name. */
  names: readonly string[];
  before: string | null;
  wish: string | undefined;
};
export type Described = DescribedFile | DescribedFolder;

export const FRAME_PROMPT = `You describe one part of a workspace for a colleague who will not read it: what it is for, what it contains, what to know before using it.
Answer with 2 to 8 lines and nothing else. Each line is one plain sentence that ends with what it rests on, in square brackets: lines of the file as [L12] or [L12-20], or names of entries of the folder as [name] or [one, other]. Put names of code in backticks, exactly as written there. A sentence about lines uses words, numbers or names of those lines. Do not guess: what the material does not show is left out.
${DATA_RULE}`;

const MAX_TOKENS = 700;

/** `most` is how many bytes the material may have. */
export function frameRequest(described: Described, most: number): ModelRequest {
  const wish = described.wish === undefined ? '' : `\nPay attention to this: ${described.wish}\n`;
  const text = described.of === 'file' ? fileText(described, most) : folderText(described, most);
  return {
    role: 'executor',
    system: FRAME_PROMPT,
    messages: [{ role: 'user', text: `${text}${wish}` }],
    tools: [],
    maxTokens: MAX_TOKENS,
  };
}

function fileText({ path, text }: DescribedFile, most: number): string {
  const { shown, lines, total } = numberLines(text, most);
  const rest = lines < total ? `\nOnly the first ${lines} of ${total} lines are shown.` : '';
  return `Describe this file.${rest}\n${wrapAsData(`file ${path}`, shown, most * 2)}`;
}

/** Whole lines with their numbers, as many as fit. */
function numberLines(text: string, most: number): { shown: string; lines: number; total: number } {
  const all = text.split('\n').map((line, at) => `${at + 1}: ${truncateText(line, 400)}`);
  let size = 0;
  const fitting = all.findIndex((line) => (size += Buffer.byteLength(line) + 1) > most);
  const lines = fitting === -1 ? all.length : fitting;
  return { shown: all.slice(0, lines).join('\n'), lines, total: all.length };
}

function folderText({ path, children, names, before }: DescribedFolder, most: number): string {
  const share = Math.floor(most / Math.max(1, children.length + 1));
  const material = children.map(({ name, frame }) =>
    wrapAsData(`${name}, described by ${frame.agent}`, frame.content, share),
  );
  const title = path === '' ? 'the top folder' : `the folder ${path}`;
  if (before === null) return `Describe ${title}, from the descriptions of its entries.\n${material.join('\n')}`;
  return `Below is your earlier description of ${title}, and the descriptions of entries that have changed since. Write the description as it should be now; repeat lines that are still right.
Entries there are now: ${names.join(', ')}
${wrapAsData('earlier description', before, share)}
${material.join('\n')}`;
}

export function readFrameAnswer(
  { text }: ModelAnswer,
  described: Described,
  most: number,
): { content: string } | Problem {
  const lines = text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return { problem: 'the answer is empty' };
  const problems = lines.flatMap((line) => problemOf(line, described, most) ?? []);
  return problems.length > 0 ? { problem: problems.slice(0, 5).join('; ') } : { content: `${lines.join('\n')}\n` };
}

function problemOf(line: string, described: Described, most: number): string | null {
  const found = /\[([^\]]+)\]\.?$/.exec(line);
  if (found === null) return `"${line.slice(0, 60)}…" does not end with what it rests on, in square brackets`;
  const references = (found[1] ?? '').split(',').map((reference) => reference.trim());
  const sources = references.map((reference) => sourceOf(reference, described, most));
  const missing = references.find((_, at) => sources[at] === null);
  if (missing !== undefined) return `there is no ${described.of === 'file' ? 'line' : 'entry'} "${missing}"`;
  if (sources.includes('')) return null; // an entry whose description has not changed, and is not shown
  const text = sources.join('\n');
  const names = [...line.matchAll(/`([^`]+)`/g)].map(([, quoted]) => quoted ?? '');
  const name = names.find((one) => !text.includes(one));
  if (name !== undefined) return `\`${name}\` is not in ${references.join(', ')}`;
  return names.length > 0 || described.of === 'folder' || sharesWord(line.slice(0, found.index), text)
    ? null
    : `no word of "${line.slice(0, 60)}…" is in ${references.join(', ')}`;
}

/** Whether a sentence has anything to do with a text: a word or number of it is there, or begins like one that is. */
function sharesWord(sentence: string, text: string): boolean {
  if (/\p{L}/u.test(text) && /\p{Script=Latin}/u.test(text) !== /\p{Script=Latin}/u.test(sentence)) return true; // another script
  const there = new Set(extractTerms(text).flatMap(beginnings));
  return extractTerms(sentence)
    .flatMap(beginnings)
    .some((term) => there.has(term));
}

const beginnings = (term: string): string[] => (term.length > STEM ? [term, term.slice(0, STEM)] : [term]);

/** Beginnings of words that count as the same word: exports, exported, exporting. */
const STEM = 5;

/** The text that a reference names; null when there is none, and empty when it is not shown. */
function sourceOf(reference: string, described: Described, most: number): string | null {
  if (described.of === 'folder') {
    const name = reference.replace(/\/$/, '');
    if (!described.names.includes(name)) return null;
    const child = described.children.find((one) => one.name === name);
    return child === undefined ? '' : `${name}\n${child.frame.content}`;
  }
  const range = /^L(\d+)(?:\s*[-–]\s*L?(\d+))?$/i.exec(reference);
  if (range === null) return null;
  const [from, to] = [Number(range[1]), Number(range[2] ?? range[1])];
  const { lines } = numberLines(described.text, most);
  if (from < 1 || to < from || to > lines) return null;
  return described.text
    .split('\n')
    .slice(from - 1, to)
    .join('\n');
}
