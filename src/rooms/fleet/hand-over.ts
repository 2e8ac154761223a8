/**
 * Owns: giving a run back to the queue while this worker goes on, so that another member continues it.
 *
 * H1 First nobody here can continue it any more, then what is going on ends, then everything it wrote is in the stream;
 *    only after that the task is given back. The fence of this process is not used again.
 */
import type { RunFence } from './servers/run-fence.ts';
import { endRuns } from './lost-runs.ts';
import type { Active, Work } from './work-in-progress.ts';

export async function handOver(work: Work, own: Active, fence: RunFence): Promise<void> {
  const { member, log } = work;
  const { run } = fence;
  member.owned.markUnready(run);
  await endRuns(work, fence, 'it is handed over to another member of the fleet');
  await member.owned.settled(run);
  member.owned.remove(fence);
  log(`${run}: given back to the fleet`);
  own.taken.release(0);
}
