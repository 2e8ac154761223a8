/** The same jobs on several queues in one run: workers in processes of their own, all of them started before the clock. */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { FromWorker, QueueWork, ToWorker } from './queues/queue-worker.ts';

export type QueueUnderTest = { name: string; file: string; url: string; serverCpuMs: () => number };

export type QueueRun = { jobs: number; workers: number; lanes: number; steps: number };

/** Wall time and processor time; `perSecond` suffers from a busy neighbour, processor time does not. */
export type QueueTimes = { perSecond: number; workerCpuMs: number; serverCpuMs: number };

let rounds = 0;

export async function runQueue(queue: QueueUnderTest, { jobs, workers, lanes, steps }: QueueRun): Promise<QueueTimes> {
  rounds += 1;
  const round = `r${rounds}`;
  const common = { url: queue.url, round, steps, lanes };
  fillQueue(queue, { ...common, name: 'filler', fill: jobs });
  const children = Array.from({ length: workers }, (_, index) =>
    startChild(queue, { ...common, name: `w${index}`, fill: 0 }),
  );
  try {
    await Promise.all(children.map((child) => messageOf(child, 'ready')));
    const serverBefore = queue.serverCpuMs();
    const began = performance.now();
    const done = untilDone(children, jobs);
    for (const child of children) tell(child, 'go');
    await done;
    const seconds = (performance.now() - began) / 1000;
    const serverCpuMs = (queue.serverCpuMs() - serverBefore) / jobs;
    const stopped = children.map((child) => messageOf(child, 'stopped'));
    for (const child of children) tell(child, 'stop');
    const cpu = (await Promise.all(stopped)).reduce((sum, each) => sum + (each.kind === 'stopped' ? each.cpuMs : 0), 0);
    return { perSecond: jobs / seconds, workerCpuMs: cpu / jobs, serverCpuMs };
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

const fileOf = ({ file }: QueueUnderTest): string => join(import.meta.dirname, 'queues', file);

function fillQueue(queue: QueueUnderTest, work: QueueWork): void {
  const { status, stderr } = spawnSync(process.execPath, [fileOf(queue), JSON.stringify(work)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${queue.name} could not be filled: ${stderr.slice(-2000)}`);
}

function startChild(queue: QueueUnderTest, work: QueueWork): ChildProcess {
  return fork(fileOf(queue), [JSON.stringify(work)], { stdio: ['ignore', 2, 2, 'ipc'] });
}

function tell(child: ChildProcess, message: ToWorker): void {
  child.send(message);
}

function untilDone(children: readonly ChildProcess[], jobs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let done = 0;
  for (const child of children) {
    child.once('exit', (code) => reject(new Error(`a worker ended with ${code}`)));
    child.on('message', ({ kind }: FromWorker) => {
      if (kind === 'done') done += 1;
      if (done === jobs) resolve();
    });
  }
  return promise;
}

function messageOf(child: ChildProcess, wanted: FromWorker['kind']): Promise<FromWorker> {
  const { promise, resolve, reject } = Promise.withResolvers<FromWorker>();
  child.once('exit', (code) => reject(new Error(`a worker ended with ${code} before it was ${wanted}`)));
  child.on('message', (message: FromWorker) => {
    if (message.kind === wanted) resolve(message);
  });
  return promise;
}
