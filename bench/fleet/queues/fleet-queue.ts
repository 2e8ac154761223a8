/** The queue and the fence of the fleet as a queue like others: a job is claimed before its first step. */
import { connectFleet } from '../../../src/rooms/fleet/servers/connect-fleet.ts';
import { openStreams } from '../../../src/rooms/fleet/servers/fleet-streams.ts';
import { claimRun, type RunFence } from '../../../src/rooms/fleet/servers/run-fence.ts';
import { runLog } from '../../../src/rooms/fleet/servers/run-log.ts';
import { type QueuedTask, taskQueue } from '../../../src/rooms/fleet/servers/task-queue.ts';
import { type Job, serveQueue } from './queue-worker.ts';

const ACK_WAIT_MS = 30_000;

await serveQueue(async ({ url, name }) => {
  const servers = url.split(',');
  const connection = await connectFleet({ servers, credentials: null, authority: null, name });
  const stream = await openStreams(connection, { replicas: servers.length, known: null });
  const log = runLog(connection, stream);
  const queue = taskQueue(connection, { ackWaitMs: ACK_WAIT_MS });
  const claim = async (taken: QueuedTask): Promise<Job | null> => {
    const { id } = taken.task;
    const claimed = await claimRun(log, id, { worker: name, process: `${process.pid}`, version: '1' });
    return claimed === null ? null : toJob(claimed.fence, taken);
  };
  return {
    fill: async (jobs, round) => {
      const ids = Array.from({ length: jobs }, (_, index) => `${round}-${index}`);
      const [first = '', ...rest] = ids;
      await queue.send(taskOf(first)); // it creates what the others share
      await Promise.all(rest.map((id) => queue.send(taskOf(id))));
    },
    take: async () => {
      const taken = await queue.take([]);
      return taken === null ? null : claim(taken);
    },
  };
});

function taskOf(id: string): QueuedTask['task'] {
  const body = '0'.repeat(64);
  return { id, home: 'h', by: 'bench', name: 'a.md', body, needs: [], files: null, links: [] };
}

function toJob(fence: RunFence, taken: QueuedTask): Job {
  return {
    note: async (text) => {
      fence.publish([{ seq: 1, type: 'call.ended', run: fence.run, data: { text } }]);
      await fence.acknowledged();
    },
    finish: () => taken.finish(),
  };
}
