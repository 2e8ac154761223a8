/** Owns: what a result must not do, whatever its criteria say. */
import { isMeant } from './glob.ts';
import { oneLine } from './text.ts';

/** Where a secret was found; never the secret. */
export type FoundSecret = { where: string; kind: string };

export type SafetyFacts = {
  /** What the guard found in outputs and changed files. */
  secrets: readonly FoundSecret[];
  /** Paths below the desk that the run changed. */
  changed: readonly string[];
  /** Globs of what it may change; null = it was not bound (a person wrote the steps). */
  targets: readonly string[] | null;
};

/** A secret that is out needs a person; changes in the wrong place can be taken back. */
export type Breach = { verdict: 'rework' | 'blocked'; reason: string };

const MOST_NAMED = 10;

export function breachesOf({ secrets, changed, targets }: SafetyFacts): Breach[] {
  const outside = targets === null ? [] : changed.filter((path) => !targets.some((target) => isMeant(target, path)));
  return [
    ...secrets.slice(0, MOST_NAMED).map(
      ({ where, kind }): Breach => ({
        verdict: 'blocked',
        reason: `a secret (${oneLine(kind, 60)}) is in ${oneLine(where, 200)}; take it out and replace it where it is used`,
      }),
    ),
    ...(outside.length === 0 ? [] : [{ verdict: 'rework' as const, reason: outsideReason(outside) }]),
  ];
}

function outsideReason(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => oneLine(path, 200));
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : '';
  return `changed outside of the declared targets: ${named.join(', ')}${more}`;
}
