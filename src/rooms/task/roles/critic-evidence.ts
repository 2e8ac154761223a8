/**
 * Owns: which evidence a critic is shown, in which order, and how much of it.
 *
 * 1. The list of changes, the files that the task changed, or was to change where it changed none of them, and what checks
 *    found come first; then the calls of the attempt that is judged; then what earlier attempts saw, unless it was read
 *    again since. A file that was read before it was changed stays.
 * 2. The choice depends on the request alone, so that an answer is read with the names that the model was shown.
 * 3. What the critic reads itself comes last and has room of its own: it pushes nothing out and renames nothing.
 * 4. A command is shown whole where its label does not show it.
 */
import { bytesForTokens, byteLength, truncateText } from '../../../kit/text/prompt-text.ts';
import { escapeInvisible } from '../../../core/schema/one-line.ts';
import type { Doubt } from './doubtful-values.ts';

/** The source of the list of files that a task changed. */
export const LIST_OF_CHANGES = 'changes of the desk';

/** Something that may show whether a criterion is met. */
export type Witness = {
  /** Where it came from, such as "files.read report.md". */
  source: string;
  attempt: number;
  ok: boolean;
  /** The input of the call, as text. */
  input: string;
  text: string;
  /** The command of a call that ran one. */
  call?: string;
  /**
   * A file that the task changed or was to change, as it is now; what a check found; where figures come from; or what the
   * critic itself has read.
   */
  kind?: 'file' | 'check' | 'sources' | 'read';
  /** Of a file: whether this run made all of it. */
  isOwn?: boolean;
  /** Of a diff: what the file contains now. */
  now?: string;
  /** Values of the result that need a source. */
  doubts?: Doubt[];
};

export type EvidenceAsk = {
  evidence: readonly Witness[];
  /** The attempt that is judged. */
  attempt: number;
  /** Maximum tokens of the message. */
  tokens?: number;
};

export type Shown = { name: string; witness: Witness; text: string };

export const CRITIC_TOKENS = 12_000;
const MIN_SHOWN = 400;
/** Part of the room that files may use before the rest, and of what the critic reads in addition to the room. */
const FILES_SHARE = 0.6;
const READS_SHARE = 0.4;
/** Of a command that is longer than its label. */
const LONGEST_CALL = 3000;
const LONGEST_LABEL = 200;

export function selectEvidence({ evidence, attempt, tokens }: EvidenceAsk): Shown[] {
  const room = Math.floor(bytesForTokens(tokens ?? CRITIC_TOKENS) / 2);
  const files = evidence.filter(({ kind }) => kind === 'file' || kind === 'check' || kind === 'sources');
  const read = evidence.filter(({ kind }) => kind === 'read');
  const calls = evidence.filter((each) => each.kind === undefined && !files.some((file) => isSameRead(each, file)));
  const current = calls.filter((each) => each.attempt === attempt);
  const again = new Set(current.map(({ source }) => source));
  const earlier = calls.filter((each) => each.attempt < attempt && each.ok && !again.has(each.source));
  let left = room;
  const fit = (witnesses: readonly Witness[], most: number): [Witness, string][] => {
    const fitting = fitInto(witnesses, Math.min(left, most));
    left -= fitting.reduce((sum, [, text]) => sum + byteLength(text), 0);
    return fitting;
  };
  const first = fit(files, room * FILES_SHARE);
  const worked = [...first, ...fit(current, left), ...fit(earlier, left)];
  const shown = [...worked, ...fitInto(read, room * READS_SHARE)];
  return shown.map(([witness, text], index) => ({ name: `E${index + 1}`, witness, text }));
}

/** Whether a call read a file as it still is, so that it need not be shown twice. */
const isSameRead = (call: Witness, file: Witness): boolean =>
  call.input === file.input && call.ok && (!file.ok || isPart(call.text, file.now ?? file.text));

const isPart = (a: string, b: string): boolean => a.includes(b) || b.includes(a);

/**
 * What a file is now that a call has read: where it was changed since, the entry that shows it. Null where it was not, and
 * where it was read in part, as long as nothing tells that it was changed.
 */
export function fileNow(
  read: Witness,
  shown: readonly Shown[],
): { name: string; text: string; isOther: boolean } | null {
  const path = read.kind === undefined && read.source.startsWith('files.read ') ? pathIn(read.input) : null;
  const file = path === null ? undefined : shown.find(({ witness }) => isFileAt(path, witness));
  if (file === undefined || !read.ok) return null;
  const text = file.witness.now ?? file.witness.text;
  const isWhole = !/"(?:offset|length)":/.test(read.input);
  return { name: file.name, text, isOther: isWhole && !isPart(read.text, text) };
}

const isFileAt = (path: string, { kind, ok, input }: Witness): boolean =>
  kind === 'file' && ok && input !== '' && pathIn(input) === path;

function pathIn(input: string): string | null {
  const found = /"path":("(?:[^"\\]|\\.)*")/.exec(input)?.[1];
  return found === undefined ? null : (JSON.parse(found) as string);
}

/** An entry as the critic is shown it: with its command, where the label is too short for it or cannot contain its marks. */
export function shownText({ witness: { input, call }, text }: Shown): string {
  const isInLabel = call === undefined || (input.length <= LONGEST_LABEL && !/[<>]/.test(call));
  return isInLabel ? text : `command: ${truncateText(escapeInvisible(call), LONGEST_CALL)}\n${text}`;
}

/** The latest entries, shortened to fit; short ones leave their share to long ones. */
function fitInto(witnesses: readonly Witness[], room: number): [Witness, string][] {
  const most = Math.floor(room / MIN_SHOWN);
  if (most < 1) return [];
  const latest = witnesses.slice(-most).map((witness) => [witness, escapeInvisible(witness.text)] as const);
  const share = fairShare(
    latest.map(([, text]) => byteLength(text)),
    room,
  );
  return latest.map(([witness, text]) => [witness, truncateText(text, share)]);
}

/** The most bytes that each may use so that all of them fit. */
function fairShare(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Math.floor(room);
}
