/**
 * Owns: what follows when a result of a procedure passed every check and was wrong all the same. Pure.
 *
 * 1. Its checks are blind to something, so that they can prove nothing any more: its use or its trial ends at once.
 * 2. Where the critic saw it, which may be mistaken, it is tried again after `RUNS_WITHOUT` good runs without it. Where a
 *    person saw it, at whatever time, it stays unused until a person promotes it. Where the same was done again and then
 *    accepted, nobody has seen one (repeated-work.ts).
 * 3. Where a run without it, which went well, did not write what it would have, one of the two is wrong, or it matters to
 *    nobody: a person says which. Until then it is neither used nor tried, unless it has become another version.
 */
import type { Case, Differing, Trial } from './procedure-case.ts';

const RUNS_WITHOUT = 60;

type About = Pick<Case, 'history' | 'without' | 'since' | 'began' | 'confirmed' | 'differing'>;

type Mistake = { run: string; seenBy: NonNullable<Trial['seen_by']> };

/** The latest wrong result that has not been settled since, a person's first; null when nobody saw one. */
export function findMistake({ history, began, confirmed }: About): Mistake | null {
  const seen = (seenBy: Mistake['seenBy'], since: string): Mistake | null => {
    const run = history.findLast(({ seen_by, at }) => seen_by === seenBy && at > since)?.run;
    return run === undefined ? null : { run, seenBy };
  };
  return seen('person', confirmed) ?? seen('critic', began);
}

/** The latest run without it that wrote something else, since a person last promoted it; null when there is none. */
export const findDifference = ({ differing, confirmed }: Pick<About, 'differing' | 'confirmed'>): Differing | null =>
  differing.findLast(({ at }) => at > confirmed) ?? null;

/** What one that was demoted lacks until it is tried again, for a person. */
export function missingForTrial(given: About): string[] {
  const mistake = findMistake(given);
  if (mistake?.seenBy === 'person') return ['a person who promotes it, since one corrected or undid its result'];
  const difference = findDifference(given);
  if (difference !== null)
    return [`a person who promotes it, since ${difference.run}, which went well without it, wrote something else`];
  const more = RUNS_WITHOUT - given.without.filter(({ fine, at }) => fine && at > given.since).length;
  return mistake === null || more <= 0 ? [] : [`${more} more good ${more === 1 ? 'run' : 'runs'} without it`];
}
