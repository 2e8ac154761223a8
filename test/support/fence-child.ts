/** A worker of the fleet without an engine: it takes tasks, claims their runs and calls a server once for each. */
import './rooms-of-product.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectFleet, retryWhileDown } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { openStreams } from '../../src/rooms/fleet/servers/fleet-streams.ts';
import { claimRun, type RunFence, type RunLog } from '../../src/rooms/fleet/servers/run-fence.ts';
import { runLog } from '../../src/rooms/fleet/servers/run-log.ts';
import type { StoredEvent } from '../../src/rooms/fleet/servers/run-owner.ts';
import { type QueuedTask, taskQueue } from '../../src/rooms/fleet/servers/task-queue.ts';

const [servers = '', counter = '', worker = '', fence = 'on'] = process.argv.slice(2);
const ACK_WAIT_MS = 2000;

const connection = await connectFleet({
  servers: servers.split(','),
  credentials: null,
  authority: null,
  name: worker,
});
const replicas = servers.includes(',') ? 3 : 1;
const stream = await retryWhileDown(() => openStreams(connection, { replicas, known: null }));
const log = runLog(connection, stream);
const queue = taskQueue(connection, { ackWaitMs: ACK_WAIT_MS });
const used = fence === 'on' ? log : withoutFence(log);
process.send?.('ready');
for (;;) {
  const taken = await queue.take([]).catch(() => null);
  if (taken !== null) await work(taken).catch((error: unknown) => console.error(worker, taken.task.id, String(error)));
}

async function work(taken: QueuedTask): Promise<void> {
  const { id } = taken.task;
  const beat = setInterval(taken.working, ACK_WAIT_MS / 4);
  try {
    const claimed = await claimRun(used, id, { worker, process: `${process.pid}`, version: '1' });
    if (claimed === null) return;
    const types = new Set(claimed.history.events.map(({ type }) => type));
    if (!types.has('run.ended')) await runOnce(claimed.fence, id, types);
    await taken.finish();
  } finally {
    clearInterval(beat);
  }
}

/** A call that another worker intended is in doubt: a person is asked, and it is not repeated here. */
async function runOnce(owned: RunFence, id: string, types: ReadonlySet<string>): Promise<void> {
  if (owned.owner.epoch === 1 && id.endsWith('0')) sleepWithoutHeartbeat();
  await pauseAWhile();
  if (!types.has('call.started')) {
    await record(owned, id, 'call.started');
    await pauseAWhile();
    await fetch(`${counter}/${id}`, { method: 'POST' });
    await record(owned, id, 'call.ended');
  } else if (!types.has('call.ended')) await record(owned, id, 'wait.opened');
  await record(owned, id, 'run.ended');
}

async function record(owned: RunFence, run: string, type: string): Promise<void> {
  const event: StoredEvent = { seq: 1, type, run };
  owned.publish([event]);
  await owned.acknowledged();
}

/** Like a process that is paused between its claim and its first intent: another worker gets the task meanwhile. */
function sleepWithoutHeartbeat(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * ACK_WAIT_MS);
}

async function pauseAWhile(): Promise<void> {
  await sleep(Math.random() * 400);
}

/** Appends whatever the last sequence is: what the trial has to find faults with. */
function withoutFence(real: RunLog): RunLog {
  return {
    ...real,
    append: async (run, last, message) => {
      const answer = await real.append(run, last, message);
      if (answer.kind !== 'refused') return answer;
      const now = await real.last(run);
      return real.append(run, now?.sequence ?? 0, message);
    },
  };
}
