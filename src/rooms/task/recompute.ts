/**
 * Owns: executing the commands with which a worker shows how it came to its figures. They are checks that are made before the
 * verdict: what such a command prints is evidence, and a figure that it contradicts is wrong.
 *
 * 1. Only commands that read are executed, and none that prints the words it was given.
 * 2. What a command reads only from files that the task itself made can contradict a figure and not confirm it.
 * 3. One that fails, that policy does not allow, or whose output cannot be compared, decides nothing.
 */
import { classify } from '../../core/guard/classify/classify-command.ts';
import type { Event } from '../../core/schema/event.ts';
import { toOneLine } from '../../core/schema/one-line.ts';
import { fileNamesIn, mayBeSameFile, PROGRAM_FILE } from '../../kit/text/file-names.ts';
import type { Act } from '../../core/schema/tool.ts';
import { compareValue } from './roles/compare-value.ts';
import { isEcho } from './roles/judge-claim.ts';
import { figuresIn } from './roles/traced-values.ts';
import type { Found } from './roles/verdict.ts';

const MOST_FIGURES = 10;
const MOST_SECONDS = 60;
const LONGEST_PRINTED = 50_000;
export const FIGURE = 'figure ';

/** Whether this was found by executing a command again. What checks of files say is what the files say. */
export const isFigure = ({ text }: Found): boolean => text.startsWith(FIGURE);

/** What was found about the figures of the last steps; those that cannot be recomputed are left out. */
export function recomputeFigures(events: readonly Event[], created: readonly string[], act: Act): Promise<Found[]> {
  const figures = events.flatMap(({ type, data }) =>
    type === 'decision.made' && data.decision.kind === 'Finish' ? (data.decision.figures ?? []) : [],
  );
  return recompute(figures, created, act);
}

export async function recompute(
  figures: readonly { value: string; command: string }[],
  created: readonly string[],
  act: Act,
): Promise<Found[]> {
  const found: Found[] = [];
  for (const { value, command } of figures.slice(-MOST_FIGURES)) {
    if (classify({ line: command }).class !== 'read') continue;
    const outcome = await act('shell', { line: command, timeout_seconds: MOST_SECONDS }, { author: 'model' });
    const { stdout, exit } = (outcome.status === 'ok' ? outcome.output : {}) as { stdout?: string; exit?: number };
    if (stdout === undefined || exit !== 0 || isEcho('', command, stdout)) continue;
    const { agrees, note } = compareValue(value, stdout);
    if (agrees === null || (agrees && readsOnlyOwn(command, created))) continue;
    const printed = `\`${toOneLine(command, 300)}\` prints "${toOneLine(stdout, 200)}"`;
    const evidence = note === '' ? printed : `${printed}; rounding decides: ${note}`;
    const text = `${FIGURE}${toOneLine(value, 100)}`;
    found.push({ text, holds: agrees, evidence, seen: true, by: 'check', printed: stdout.slice(0, LONGEST_PRINTED) });
  }
  return found;
}

/** What prints many figures, such as all of a file, computes none of them. */
const MOST_OTHERS = 8;
export const isComputed = ({ text, holds, printed = '' }: Found): boolean =>
  holds && figuresIn(printed).length <= 2 * figuresIn(text).length + MOST_OTHERS;

/** Whether a command that the worker made itself shows more than what it was given, or what the task has written. */
export function isComputation(line: string, printed: string, changed: readonly string[]): boolean {
  if (classify({ line }).class !== 'read' || isEcho('', line, printed) || figuresIn(printed).length > MOST_OTHERS)
    return false;
  return !fileNamesIn(line).some((path) => !PROGRAM_FILE.test(path) && changed.some((own) => mayBeSameFile(own, path)));
}

function readsOnlyOwn(command: string, created: readonly string[]): boolean {
  const read = fileNamesIn(command);
  return read.length > 0 && read.every((path) => created.some((own) => mayBeSameFile(own, path)));
}
