/**
 * Owns: refilling the subject of a run whose history is damaged or gone, from the ledger of whoever owned it last.
 *
 * R1 A refill is a claim: of two members that refill a run at once one is refused, and so is whoever still works on it.
 *    Its epoch is higher than all that the stream and the ledger know of.
 * R2 A ledger that knows the run up to an earlier epoch does not replace what a later owner has written.
 * R3 Nothing is executed with the epoch of a refill. One that was cut short is repeated as a whole (run-owner.ts, W2).
 */
import { appendClaim, type FenceOptions, type RunLog } from './run-fence.ts';
import type { RunHistory, StoredEvent } from './run-owner.ts';

/** What a ledger has of a run, and the epoch of the last claim with which it has worked on it. */
export type KnownRun = { run: string; epoch: number };

/** Whether another member has owned the run since (R2). */
export const isOwnedElsewhere = ({ owner, known }: RunHistory, { epoch }: KnownRun, worker: string): boolean =>
  owner !== null && owner.worker !== worker && known >= epoch;

/** Whether the stream has lost the last claim of this ledger. */
export const hasLostClaim = ({ owner, known }: RunHistory, { epoch }: KnownRun, worker: string): boolean =>
  owner === null || (owner.worker === worker ? owner.epoch : known) < epoch;

type Refill = { events: readonly StoredEvent[]; desk: string | null; isReturned: boolean };

/** Returns false when somebody else has appended to the run since its history was read: nothing of the refill counts. */
export async function refillRun(
  log: RunLog,
  { run, epoch: from }: KnownRun,
  options: FenceOptions,
  history: RunHistory,
  { events, desk, isReturned }: Refill,
): Promise<boolean> {
  const epoch = Math.max(history.epoch, from) + 1;
  const claim = await appendClaim(log, run, options, history, epoch, { events: events.length, from });
  if (claim === null) return false;
  const { fence } = claim;
  fence.publish(events, desk);
  try {
    await (isReturned ? fence.finish() : fence.acknowledged());
    return true;
  } catch (error) {
    if (fence.isLost) return false;
    throw error;
  }
}
