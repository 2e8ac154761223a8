/** How a command failed, as the detectors see it. */
import type { Need } from '../../../core/schema/dependency.ts';

export type Failure = {
  exit: number | null;
  /** What it wrote: stderr, or stdout when that is empty; head and tail when it is long. */
  text: string;
  /** The command as it was given. */
  command: string;
  /** The first line of a script the command names; null when there is none such. */
  firstLineOf?: (script: string) => string | null;
};

/** What a detector found: the need, and the place in the text that shows it. */
export type Found = Omit<Need, 'evidence'> & { at: number };

/** A row of a table: a pattern, when it counts, and what it says is missing. */
export type Sign = {
  pattern: RegExp;
  /** Left out: whatever the exit status. */
  when?: (failure: Failure) => boolean;
  need: (match: RegExpMatchArray, failure: Failure) => Omit<Need, 'evidence'> | null;
};

/** The first row that fits, its last place in the text. */
export function matchSigns(signs: readonly Sign[], failure: Failure): Found | null {
  for (const { pattern, when, need } of signs) {
    if (when !== undefined && !when(failure)) continue;
    for (const match of [...failure.text.matchAll(pattern)].toReversed()) {
      const found = need(match, failure);
      if (found !== null) return { ...found, at: match.index };
    }
  }
  return null;
}

const UNSTARTED = /^([^\n]{1,200}?: command not found)(?: without any output)?$/;
const EXITED =
  /^exit (\d+)(?:(?:, without a word| without any output)$|\. It wrote to (?:stdout|stderr):\n([\s\S]*?)(?:\nIt wrote to stdout:\n[\s\S]*)?$)/;

/** A failed outcome of the shell tool, taken apart; null when the command did not end by itself. */
export function parseFailure(error: string, command: string): Failure | null {
  const unstarted = UNSTARTED.exec(error);
  if (unstarted !== null) return { exit: 127, text: unstarted[1] ?? '', command };
  const exited = EXITED.exec(error);
  return exited === null ? null : { exit: Number(exited[1]), text: exited[2] ?? '', command };
}
