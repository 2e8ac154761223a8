/**
 * Owns: whether a task is a runbook or prose, and why. Pure.
 *
 * K1 A block runs as it is only where the task says that it is a step: `steps: true`, a first line that says so, a heading
 *    directly above each block, or nothing but headings, short captions and blocks.
 * K2 A text that asks for something and shows code is no runbook, whatever its headings are: code that was shown as an
 *    example must not run. What could be both is unclear: a model reads it as prose, and without one a person decides.
 */
import type { TaskFile } from '../../core/schema/task-file.ts';
import { toOneLine } from '../../core/schema/one-line.ts';
import { parseBlocks, type Block } from '../text/markdown-blocks.ts';
import { findCriteria } from './criteria.ts';
import { fenceLanguage } from '../text/fence-info.ts';
import { baseName, fileNamesIn } from '../text/file-names.ts';
import { hintsAtUnmarkedFences } from '../text/unmarked-fences.ts';
import { FENCE_LANGUAGES } from './runbook-steps.ts';

/** `why` completes "It is a runbook: …" or "Its blocks are not run: …". */
type TaskKind = { kind: 'runbook' | 'prose' | 'unclear'; why: string };

type Fence = Extract<Block, { kind: 'fence' }>;

export function taskKind(blocks: readonly Block[], taken: ReadonlySet<Block>, task: TaskFile): TaskKind {
  const own = blocks.filter((block) => !taken.has(block));
  if (task.from_chat !== undefined) return { kind: 'prose', why: 'an agent wrote it' };
  if (!own.some(isCode)) return { kind: 'prose', why: 'it has no code block in a language that runs' };
  if (task.steps === true) return { kind: 'runbook', why: 'its front matter says `steps: true`' };
  if (task.steps === false) return { kind: 'prose', why: 'its front matter says `steps: false`' };
  if (saysRunbook(own[0])) return { kind: 'runbook', why: 'its first line says so' };
  const doubt = own.map((block, index) => doubtOf(block, own[index - 1], own[index + 1])).find((each) => each !== null);
  if (doubt !== undefined) return { kind: 'unclear', why: doubt };
  if (own.every((block, index) => !isCode(block) || isHeading(own[index - 1])))
    return { kind: 'runbook', why: 'each code block has a heading of its own' };
  const other = own.find((block, index) => !isPartOfRunbook(block, own[index + 1]));
  if (other !== undefined) return { kind: 'unclear', why: `line ${other.line} has more text than a caption of a step` };
  const last = own.at(-1);
  if (last?.kind === 'text') return { kind: 'unclear', why: `line ${last.line} has text that is no caption of a step` };
  return { kind: 'runbook', why: 'it is nothing but headings, short captions and code blocks' };
}

export function kindOf(body: string, task: TaskFile, firstLine: number): TaskKind {
  const { blocks } = parseBlocks(body, firstLine);
  return taskKind(blocks, findCriteria(blocks, []).taken, task);
}

/** What a sentence that somebody sends gets: a folder of its own. A runbook names paths of the desk, as a file does. */
export const placeOfSentence = (text: string): { place?: 'own' } =>
  text.startsWith('---') || kindOf(text, {}, 1).kind === 'runbook' ? {} : { place: 'own' };

/** What the person should know whose blocks are not run although they could be meant to. */
export function hintsAtFences(body: string, task: TaskFile, firstLine: number): string[] {
  if (!/^[ \t]*(?:[-+*\d.)]+[ \t]+)*(?:`{3,}|~{3,})/m.test(body)) return [];
  const { kind, why } = kindOf(body, task, firstLine);
  return kind === 'unclear' ? [unclearNote(why)] : hintsAtUnmarkedFences(body, firstLine);
}

const DECLARE = 'If they are the steps, write `steps: true` into the front matter';

export const unclearNote = (why: string): string => `its code blocks are read as text and not run: ${why}. ${DECLARE}`;

/** Why a task of which nobody can say what it is cannot be done without a model: both possibilities. */
export const unclearProblem = (why: string): string =>
  `it can be read in two ways, and nothing was done: ${why}. ${DECLARE}; if the text says what is to be done and the code is only shown, it needs a language model, and none is set: oka model setup`;

const isCode = (block: Block): block is Fence =>
  block.kind === 'fence' && FENCE_LANGUAGES[fenceLanguage(block.info)] !== undefined;

const SAYS_RUNBOOK =
  /^\W*(?:(?:this (?:task )?is )?an? )?runbook\b|^\W*(?:please )?(?:run|execute|do|perform|carry out|work through) (?:these|the following|each of|all|the)\b[^.]*\b(?:steps?|blocks?|commands?)\b/i;

const saysRunbook = (block: Block | undefined): boolean =>
  block !== undefined && block.kind !== 'fence' && SAYS_RUNBOOK.test(block.text);

/** A heading, or the list item that the block stands in. */
const isHeading = (before: Block | undefined): boolean => before?.kind === 'heading' || before?.kind === 'item';

const LONGEST_CAPTION = 120;

function isPartOfRunbook(block: Block, next: Block | undefined): boolean {
  if (block.kind === 'heading' || block.kind === 'fence') return true;
  if (block.kind === 'item') return next?.kind === 'fence';
  return block.text.length <= LONGEST_CAPTION && !/[.!?]\s+\S/.test(block.text);
}

const ASKS =
  /\b(?:please|bitte|(?:could|can|would|will) you|(?:i|we)(?: would|['’]d)? (?:want|need|like|get|see|expect)|should|supposed to|instead of)\b|\?(?:\s|$)/i;
const CHANGES_CODE = new RegExp(
  String.raw`(?:^|[.:;,!]\s+|\b(?:and|then)\s+)(?:fix|correct|rewrite|refactor|implement|explain|translate|improve|optimi[sz]e|simplify|review|debug|extend|adapt|complete|port|document|annotate|speed up|find the (?:bug|error|mistake)|(?:add|write) (?:type hints|types|tests?|unit tests|docstrings|comments)|korrigier\w*|reparier\w*|beheb\w*|verbesser\w*|erklär\w*|übersetz\w*)(?![\p{L}\d])`,
  'iu',
);
const SHOWS = [
  /\b(?:examples?|e\.g\.|signature|snippet|(?:looks?|called|used|written) like|like (?:this|so|these|that)|(?:this|following|current|existing|present|old|given) (?:function|code|script|class|method|module|implementation|version|interface)|(?:function|code|script|class|method|lines?|block) (?:below|above)|expected|for instance|sketch|template)\b/i,
  /^\W*(?:usage|before|after|now|old|new|current|wrong|right)\W*$/i,
];
/** "Save this as", "Put the following into": the block is what is spoken of, unless it is what is to be run. */
const SPEAKS_OF_BLOCK = /(?<!\b(?:after|before|for|in|on|to) )\bthis\b|\bthe following\b/i;
const SAYS_RUN =
  /\b(?:run|execute|do|start|enter|type|perform|try)\W+(?:this|the following)\b|^\W*this (?:takes|needs|runs|makes|removes|deletes|writes|counts|lists|shows|checks|packs|copies|creates)\b/i;
/** What is wrong with the code that is shown. */
const TROUBLE =
  /\b(?:the bug|buggy|an (?:error|exception)|wrong (?:result|output|answer)|(?:is|are) (?:broken|wrong)|fails?(?:\W*$| (?:with|when|on|at)\b)|crash(?:es|ed)|(?:does|do|did|is|are)(?: not|n['’]t) (?:work|right))\b/i;

/** Why this part of a task speaks against steps; null when it does not. */
function doubtOf(block: Block, before: Block | undefined, next: Block | undefined): string | null {
  if (block.kind === 'fence')
    return isCode(block) && isOnlyDefinition(block)
      ? `the block in line ${block.line} only defines something, so that running it would do nothing`
      : null;
  const quoted = `"${toOneLine(block.text, 80)}"`;
  const isTitle = block.kind === 'heading';
  const asks = isTitle ? /\?\s*$/.test(block.text) : ASKS.test(block.text) || CHANGES_CODE.test(block.text);
  if (asks) return `line ${block.line} asks for something: ${quoted}`;
  if (block.kind === 'text' && before?.kind === 'fence' && /^\p{Ll}/u.test(block.text))
    return `line ${block.line} goes on after the block as a sentence: ${quoted}`;
  return next !== undefined && isCode(next) && showsCode(block, next)
    ? `line ${block.line} shows code: ${quoted}`
    : null;
}

/** Whether the text directly above a block speaks of its code, and does not say what a step does. */
function showsCode({ kind, text }: Exclude<Block, Fence>, block: Fence): boolean {
  if (SHOWS.some((shape) => shape.test(text)) || isContentOf(text, block)) return true;
  return kind !== 'heading' && !SAYS_RUN.test(text) && (SPEAKS_OF_BLOCK.test(text) || TROUBLE.test(text));
}

const ENDINGS: Readonly<Record<string, RegExp>> = {
  shell: /\.(?:sh|bash)$/i,
  python: /\.py$/i,
  javascript: /\.[cm]?[jt]sx?$/i,
};

/** A file of the language of a block that names it, and is not named in the block: the block is what is in the file. */
function isContentOf(text: string, { info, code }: Fence): boolean {
  const ending = ENDINGS[FENCE_LANGUAGES[fenceLanguage(info)] ?? ''];
  return fileNamesIn(text).some(
    (path) => ending?.test(path) === true && !code.includes(baseName(path).replace(/\.\w+$/, '')),
  );
}

const DEFINITIONS: Readonly<Record<string, RegExp>> = {
  python: /^(?:(?:async )?def|class|import|from|@|#|\)|\]|\}|"""|''')/,
  javascript: /^(?:export |default |async )*(?:function|class|interface|type|import)\b|^(?:\/\/|\/\*|\*|\}|\)|"use)/,
};

/** Whether nothing outside of functions and classes is there that could run. */
function isOnlyDefinition({ info, code }: Fence): boolean {
  const shape = DEFINITIONS[FENCE_LANGUAGES[fenceLanguage(info)] ?? ''];
  const top = code.split('\n').filter((line) => /^\S/.test(line));
  return shape !== undefined && top.length > 0 && top.every((line) => shape.test(line)) && !onlyComments(top);
}

const onlyComments = (lines: readonly string[]): boolean =>
  lines.every((line) => /^(?:#|\/\/|import\b|from\b)/.test(line));
