/**
 * Owns: requests of this home about tasks that it gave away, and answers to those of others, on their way to whoever works
 * on them.
 *
 * Y1 The file of a request stays in .oka/intake until the owner of the run has replied, so that nothing is lost when this
 *    worker dies. It has the same id at the owner, which handles an id once.
 * Y2 It goes to the owner of the last claim. If another member claims the run before there is a reply, it goes there, too;
 *    the first one refuses it then, since the run is not its own any more. While nobody has claimed it, a cancellation ends
 *    it from here (cancel-queued.ts), and other requests wait.
 * Y3 Requests about one task are sent one after the other. Only a cancellation does not wait for others that nobody has got.
 * Y4 Secrets do not travel: a request that contains one is refused here.
 */
import type { ResultQueue } from './servers/result-queue.ts';
import type { RunLog } from './servers/run-fence.ts';
import type { FleetReply } from '../../core/schema/fleet-requests.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { RequestRelay } from '../../kit/ports/fleet-port.ts';

type Reply = FleetReply['reply'];

type Pending = {
  id: string;
  task: string;
  intake: Intake;
  /** The claim that it was sent to, and when. */
  sentTo: { worker: string; epoch: number; at: number } | null;
  triedAt: number;
  /** When its file was last seen. */
  seenAt: number;
  reply: Reply | null;
};

const TRY_MS = 1000;
/** The owner replies within ten seconds, also when the task has ended meanwhile. */
const REPLY_MS = 20_000;
/** A file that is gone for so long was removed by a person. */
const GONE_MS = 30_000;

type RelayPorts = {
  name: string;
  log: Pick<RunLog, 'last'>;
  results: Pick<ResultQueue, 'request'>;
  redact: (text: string) => string;
  /** Whether a task that nobody had claimed is cancelled now. */
  cancelQueued: (task: string) => Promise<boolean>;
  now?: () => number;
};

export function requestRelay(options: RelayPorts): RequestRelay {
  const { name, log, results, redact, cancelQueued, now = () => performance.now() } = options;
  const pending = new Map<string, Pending>();
  const replies = new Map<string, Reply>();
  const send = async (each: Pending): Promise<void> => {
    const last = (await log.last(each.task))?.message;
    const isUnclaimed = last === undefined || (last.worker === name && last.kind === 'returned');
    if (isUnclaimed && each.intake.kind === 'cancel' && (await cancelQueued(each.task))) each.reply = { done: null };
    if (last === undefined || each.reply !== null) return; // nobody has claimed it
    if (last.worker === name && last.kind !== 'returned') return; // this home is about to work on it
    const { worker, epoch } = last;
    const isAwaited = each.sentTo !== null && now() - each.sentTo.at < REPLY_MS;
    if (last.kind === 'returned' && !isAwaited) each.reply ??= refusedBecause('the task is over');
    const text = JSON.stringify(each.intake);
    if (redact(text) !== text) each.reply ??= refusedBecause(`it contains a secret; answer it at ${worker}`);
    if (
      each.reply !== null ||
      last.kind === 'returned' ||
      (each.sentTo?.worker === worker && each.sentTo.epoch === epoch)
    )
      return;
    const { id, task, intake } = each;
    each.sentTo = { worker, epoch, at: now() }; // before it is there: the reply may be faster than the answer of the server
    try {
      await results.request(worker, name, { kind: 'request', id, task, intake }, epoch);
    } catch (error) {
      each.sentTo = null;
      throw error;
    }
  };
  return {
    isPending: (id, task, intake) => {
      const each = pending.get(id) ?? (task === null ? null : newPending(id, task, intake));
      if (each === null) return false;
      pending.set(id, each);
      each.seenAt = now();
      for (const other of pending.values()) if (now() - other.seenAt > GONE_MS) pending.delete(other.id);
      if (each.reply !== null) {
        pending.delete(id);
        replies.set(JSON.stringify(intake), each.reply);
        return false;
      }
      const first = [...pending.values()].find((other) => other.task === each.task);
      const isTurn = first === each || (first?.sentTo === null && intake.kind === 'cancel');
      if (!isTurn || now() - each.triedAt < TRY_MS) return true;
      each.triedAt = now();
      void send(each).catch(() => undefined); // it is tried again
      return true;
    },
    receive: (from, { id, reply }) => {
      const each = pending.get(id);
      if (each !== undefined && each.sentTo?.worker === from) each.reply = reply;
    },
    takeReply: (intake) => {
      const key = JSON.stringify(intake);
      const reply = replies.get(key) ?? null;
      replies.delete(key);
      return reply;
    },
  };
}

const refusedBecause = (message: string): Reply => ({ refused: { code: 'refused', message } });

const newPending = (id: string, task: string, intake: Intake): Pending => ({
  id,
  task,
  intake,
  sentTo: null,
  triedAt: Number.NEGATIVE_INFINITY,
  seenAt: 0,
  reply: null,
});
