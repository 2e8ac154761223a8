/** Owns: what makes a result unacceptable, whatever its criteria say. */
import { matchesGlob } from './glob.ts';
import { toOneLine } from '../../core/schema/one-line.ts';

/** The place where a secret was found, never the secret itself. */
export type FoundSecret = { where: string; kind: string };

type SafetyFacts = {
  /** Secrets that the guard found in outputs and changed files. */
  secrets: readonly FoundSecret[];
  /** Paths in the desk that the run changed. */
  changed: readonly string[];
  /** Globs of what the run may change; null when a person wrote the steps, who is not restricted. */
  targets: readonly string[] | null;
};

/** A leaked secret needs a person; changes in the wrong place can be undone. */
export type Breach = { verdict: 'rework' | 'blocked'; reason: string };

const MAX_NAMED = 10;

export function findBreaches({ secrets, changed, targets }: SafetyFacts): Breach[] {
  const outside =
    targets === null ? [] : changed.filter((path) => !targets.some((target) => matchesGlob(target, path)));
  return [
    ...secrets.slice(0, MAX_NAMED).map(
      ({ where, kind }): Breach => ({
        verdict: 'blocked',
        reason: `a secret (${toOneLine(kind, 60)}) is in ${toOneLine(where, 200)}; remove it there, and rotate it`,
      }),
    ),
    ...(outside.length === 0 ? [] : [{ verdict: 'rework' as const, reason: outsideReason(outside) }]),
  ];
}

function outsideReason(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED).map((path) => toOneLine(path, 200));
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : '';
  return `changed outside the declared targets: ${named.join(', ')}${more}`;
}
