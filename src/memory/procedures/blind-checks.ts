/**
 * Owns: what follows when a result of a procedure passed every check and was wrong all the same. Pure.
 *
 * 1. Its checks are blind to something, so that they can prove nothing any more: its use or its trial ends at once.
 * 2. Where the critic saw it, which may be mistaken, it is tried again after `RUNS_WITHOUT` good runs without it. Where a
 *    person saw it, at whatever time, it stays unused until a person promotes it. A person who had the same done again has
 *    not seen one (repeated-work.ts).
 */
import type { Case, Trial } from './procedure-case.ts';

const RUNS_WITHOUT = 60;

type About = Pick<Case, 'history' | 'without' | 'since' | 'began' | 'confirmed'>;

/** Who saw a wrong result that has not been settled since; null when nobody did. */
export function whoSawMistake({ history, began, confirmed }: About): Trial['seen_by'] {
  const isSeenBy = (who: Trial['seen_by'], since: string): boolean =>
    history.some(({ seen_by, at }) => seen_by === who && at > since);
  if (isSeenBy('person', confirmed)) return 'person';
  return isSeenBy('critic', began) ? 'critic' : null;
}

/** What one that was demoted lacks until it is tried again, for a person. */
export function missingForTrial(given: About): string[] {
  const seen = whoSawMistake(given);
  if (seen === 'person') return ['a person who promotes it, since one corrected or undid its result'];
  const more = RUNS_WITHOUT - given.without.filter(({ fine, at }) => fine && at > given.since).length;
  return seen === null || more <= 0 ? [] : [`${more} more good ${more === 1 ? 'run' : 'runs'} without it`];
}
