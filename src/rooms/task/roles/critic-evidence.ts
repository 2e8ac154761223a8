/**
 * Owns: which evidence a critic is shown, in which order, and how much of it.
 *
 * 1. The files that the task changed, or was to change where it changed none of them, come first, as they are now, complete
 *    where they fit; then the calls of the attempt that is judged; then what earlier attempts saw, unless it was read again
 *    since.
 * 2. The choice depends on the request alone, so that an answer is read with the names that the model was shown.
 * 3. What the critic reads itself comes last.
 */
import { bytesForTokens, byteLength, truncateText } from '../../../kit/text/prompt-text.ts';
import { escapeInvisible } from '../../../core/schema/one-line.ts';

/** The source of the list of files that a task changed. */
export const LIST_OF_CHANGES = 'changes of the desk';

/** Something that may show whether a criterion is met. */
export type Witness = {
  /** Where it came from, such as "files.read report.md". */
  source: string;
  by: 'tool' | 'worker';
  attempt: number;
  ok: boolean;
  /** The input of the call, as text. */
  input: string;
  text: string;
  /** A file that the task changed or was to change, as it is now; or what the critic itself has read. */
  kind?: 'file' | 'read';
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
/** Parts of the room that files and what was read may use before the rest. */
const FILES_SHARE = 0.6;

export function selectEvidence({ evidence, attempt, tokens }: EvidenceAsk): Shown[] {
  const room = Math.floor(bytesForTokens(tokens ?? CRITIC_TOKENS) / 2);
  const files = evidence.filter(({ kind }) => kind === 'file');
  const read = evidence.filter(({ kind }) => kind === 'read');
  const known = new Set(files.map(({ input }) => input));
  const calls = evidence.filter(({ kind, input }) => kind === undefined && !known.has(input));
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
  const added = fit(read, room * FILES_SHARE);
  const shown = [...first, ...fit(current, left), ...fit(earlier, left), ...added];
  return shown.map(([witness, text], index) => ({ name: `e${index + 1}`, witness, text }));
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
