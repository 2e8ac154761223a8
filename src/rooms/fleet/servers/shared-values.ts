/**
 * Owns: values that all members of a fleet read and change: the times of schedules, the budget of the day.
 * Does not own: what they mean, nor the stream (shared-log.ts).
 *
 * V1 A value is replaced only if it is still the one that was read: the change is appended with the expected last
 *    sequence of its subject. Of two members that change it at once, one is refused and begins again with the new value.
 * V2 When the answer to a change was lost, the value is read again. So a change must do nothing to a value that contains
 *    it already.
 * V3 While the servers do not answer nothing is changed: the caller gets an error, and waits.
 */
import { OkaError } from '../../../core/schema/errors.ts';

/** Checks what others have written. */
type ValueSchema<T> = { parse: (value: unknown) => T };

type StoredValue = { revision: number; text: string };

/** The subjects of shared values. Reading fails while the servers do not answer. */
export type SharedLog = {
  read(key: string): Promise<StoredValue | null>;
  /** Appends if `revision` is the last one of this key; 0: if there is none. `unknown`: it may be there or not. */
  replace(key: string, revision: number, text: string): Promise<'stored' | 'refused' | 'unknown'>;
};

/** What a change makes of a value: the next one, or null to leave it; and what the caller wants to know. */
export type Change<T, R> = { next: T | null; result: R };

/** `change` may be called several times; it gets the value as it is then. */
export async function changeValue<T, R>(
  log: SharedLog,
  key: string,
  schema: ValueSchema<T>,
  change: (value: T | null) => Change<T, R>,
): Promise<R> {
  for (let unanswered = 0; unanswered < MOST_UNANSWERED; ) {
    const stored = await log.read(key);
    const { next, result } = change(stored === null ? null : schema.parse(JSON.parse(stored.text)));
    if (next === null) return result;
    const answer = await log.replace(key, stored?.revision ?? 0, JSON.stringify(next));
    if (answer === 'stored') return result;
    if (answer === 'unknown') unanswered += 1;
  }
  throw new OkaError('fleet-down', `the message servers do not store the shared value "${key}"`, {
    fix: 'Check that a majority of them runs, and that their disks have space.',
  });
}

const MOST_UNANSWERED = 3;
