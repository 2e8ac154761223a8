/**
 * The worker of a queue, in a process of its own: it takes jobs, notes a few durable steps for each, and finishes it.
 * Every queue does the same work, so that one run compares them. The parent is run-queues.ts.
 */
export type Job = {
  /** Resolves when the text is as durable as the queue makes it. */
  note(text: string): Promise<void>;
  finish(): Promise<void>;
};

export type Queue = {
  fill(jobs: number, round: string): Promise<void>;
  /** Null when there is none for a while. */
  take(): Promise<Job | null>;
};

/** `steps`: durable notes of a job. `lanes`: how many jobs a worker has in hand at once. */
export type QueueWork = { url: string; name: string; round: string; fill: number; steps: number; lanes: number };

export type FromWorker = { kind: 'ready' } | { kind: 'done' } | { kind: 'stopped'; cpuMs: number };
export type ToWorker = 'go' | 'stop';

export async function serveQueue(open: (work: QueueWork) => Promise<Queue>): Promise<void> {
  const work = JSON.parse(process.argv[2] ?? '{}') as QueueWork;
  const queue = await open(work);
  if (work.fill > 0) {
    await queue.fill(work.fill, work.round);
    process.exit(0);
  }
  const going = Promise.withResolvers<void>();
  let before = process.cpuUsage();
  process.on('message', (message: ToWorker) => {
    if (message === 'go') {
      before = process.cpuUsage();
      return going.resolve();
    }
    const { user, system } = process.cpuUsage(before);
    send({ kind: 'stopped', cpuMs: (user + system) / 1000 });
    process.disconnect();
    process.exit(0);
  });
  send({ kind: 'ready' });
  await going.promise;
  await Promise.all(Array.from({ length: work.lanes }, () => workOff(queue, work)));
}

async function workOff(queue: Queue, { steps }: QueueWork): Promise<never> {
  for (;;) {
    const job = await queue.take();
    if (job === null) continue;
    for (let step = 0; step < steps; step += 1) await job.note(`step ${step} of a job that does nothing else`);
    await job.finish();
    send({ kind: 'done' });
  }
}

function send(message: FromWorker): void {
  process.send?.(message);
}
