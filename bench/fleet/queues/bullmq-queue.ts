/** BullMQ: a job is locked for a while when it is taken; a step is its progress. */
import { randomUUID } from 'node:crypto';
import { Queue, Worker } from 'bullmq';
import { serveQueue } from './queue-worker.ts';

const NAME = 'bench';

await serveQueue(async ({ url }) => {
  const { hostname: host, port } = new URL(url);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const worker = new Worker(NAME, null, { connection, autorun: false });
  await worker.waitUntilReady();
  return {
    fill: async (jobs) => {
      const queue = new Queue(NAME, { connection });
      await queue.addBulk(Array.from({ length: jobs }, (_, index) => ({ name: 'job', data: { index } })));
      await queue.close();
    },
    take: async () => {
      const token = randomUUID();
      const job = await worker.getNextJob(token, { block: false });
      if (job === undefined || job === null) return null;
      return {
        note: (text) => job.updateProgress({ text }),
        finish: async () => {
          await job.moveToCompleted('done', token, false);
        },
      };
    },
  };
});
