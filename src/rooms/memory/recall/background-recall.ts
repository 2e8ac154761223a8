/**
 * Owns: running recall in a worker thread.
 *
 * 1. The thread starts with the first question, or a while after the first event; a process with neither has none.
 * 2. A thread that died is started again by the next question; pending questions are rejected.
 * 3. A thread with a small index and no vectors ends when nobody has asked for a minute: it takes 25 MB, and starts again in
 *    a quarter of a second. The next one starts when it has ended, since only one may write the index.
 * 4. The thread never keeps the process alive. Closing it takes a few seconds at most, whatever it is at: what is missing in
 *    the index is read again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { OkaError } from '../../../core/schema/errors.ts';
import type { PackRequest, StatedInstruction } from '../../../kit/ports/memory-port.ts';
import type { PromptPack } from './build-pack.ts';
import type { RecallOptions } from './recall.ts';
import type { Retrieved, SearchAnswer, SearchRequest } from './search-memory.ts';

/** `artifacts` is the folder of the artifacts. */
export type RecallThreadOptions = Pick<RecallOptions, 'folder' | 'ledgers' | 'settings'> & {
  artifacts: string;
  /** A thread that has little in memory ends after this time without a question. */
  idleAfterMs?: number;
};

/** `isCounted`: what each result costs is wanted, too. */
export type RetrieveRequest = { asked: SearchRequest; budget: number | null; isCounted: boolean };

type RecallQuestion =
  | { kind: 'catch up' }
  | { kind: 'search'; asked: SearchRequest }
  | ({ kind: 'retrieve' } & RetrieveRequest)
  | { kind: 'pack'; ask: PackRequest }
  | { kind: 'instructions' }
  | { kind: 'close' };
export type RecallRequest = RecallQuestion & { number: number };
export type RecallReply = { number: number } & ({ value: unknown } | { error: string });
/** Nobody has asked for a while, and starting again would cost little. */
export type RecallIdle = { kind: 'idle' };

export type BackgroundRecall = {
  search(asked: SearchRequest): Promise<SearchAnswer>;
  retrieve(request: RetrieveRequest): Promise<Retrieved>;
  pack(ask: PackRequest): Promise<PromptPack>;
  /** What the operator wants to have done in a certain manner, and what they once wanted. */
  instructions(): Promise<StatedInstruction[]>;
  /** Says that events were written; the index catches up after a short delay. */
  notifyChange(): void;
  close(): Promise<void>;
};

const FOLLOW_AFTER_MS = 1000;
/** Longer than a process with the table of vectors may take to end. */
const LONGEST_CLOSE_MS = 6000;
/** Loading an index creates much garbage; with the default, 100 MB more of it are never given back to the system. */
const YOUNG_MB = 12;

type PendingQuestion = { resolve: (value: never) => void; reject: (error: unknown) => void };
/** Of the last question of any thread. */
let number = 0;

type RunningThread = { thread: Worker; waiting: Map<number, PendingQuestion> };

export function openBackgroundRecall(options: RecallThreadOptions): BackgroundRecall {
  let running: RunningThread | null = null;
  let ending: Promise<void> | null = null;
  let following: NodeJS.Timeout | null = null;
  let closed = false;

  async function ask<T>(question: RecallQuestion): Promise<T> {
    for (let end = ending; end !== null; end = ending) await end;
    if (closed) throw new OkaError('refused', 'memory is closed');
    running ??= startThread(options, { over: forget, idle: end });
    return askThread(running, question);
  }

  function forget(over: RunningThread): void {
    if (running === over) running = null;
  }

  /** Whoever asks from now on waits for the end, and then starts another one. */
  function end(idle: RunningThread): void {
    if (running !== idle || idle.waiting.size > 0) return;
    running = null;
    ending = endThread(idle).finally(() => {
      ending = null;
    });
  }

  function follow(): void {
    following = null;
    if (closed) return;
    ask({ kind: 'catch up' }).catch(() => undefined); // the next event tries again
  }

  return {
    search: (asked) => ask({ kind: 'search', asked }),
    retrieve: ({ asked, budget, isCounted }) => ask({ kind: 'retrieve', asked, budget, isCounted }),
    pack: (wanted) => ask({ kind: 'pack', ask: wanted }),
    instructions: () => ask({ kind: 'instructions' }),
    notifyChange: () => {
      following ??= setTimeout(follow, FOLLOW_AFTER_MS).unref();
    },
    close: async () => {
      if (following !== null) clearTimeout(following);
      closed = true;
      await ending;
      if (running !== null) await endThread(running);
    },
  };
}

function askThread<T>({ thread, waiting }: RunningThread, question: RecallQuestion): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  number += 1;
  waiting.set(number, { resolve, reject });
  thread.ref();
  thread.postMessage({ ...question, number } satisfies RecallRequest, []);
  return promise;
}

async function endThread(running: RunningThread): Promise<void> {
  const answered = askThread(running, { kind: 'close' }).catch(() => undefined); // the thread is ended in any case
  await Promise.race([answered, sleep(LONGEST_CLOSE_MS, undefined, { ref: false })]);
  await running.thread.terminate();
}

type ThreadEvents = { over: (running: RunningThread) => void; idle: (running: RunningThread) => void };

function startThread(options: RecallThreadOptions, { over, idle }: ThreadEvents): RunningThread {
  const thread = new Worker(new URL('./recall-worker.ts', import.meta.url), {
    workerData: options,
    name: 'memory',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const running: RunningThread = { thread, waiting: new Map() };
  const end = (reason: string): void => {
    over(running);
    for (const { reject } of running.waiting.values()) reject(new OkaError('refused', reason));
    running.waiting.clear();
  };
  thread.on('message', (answered: RecallReply | RecallIdle) => {
    if ('kind' in answered) return idle(running);
    const waiting = running.waiting.get(answered.number);
    running.waiting.delete(answered.number);
    if (running.waiting.size === 0) thread.unref();
    if ('error' in answered) waiting?.reject(new OkaError('refused', answered.error));
    else waiting?.resolve(answered.value as never);
  });
  thread.on('error', (error) => end(`the memory thread failed: ${error.message}`));
  thread.on('exit', () => end('the memory thread ended'));
  return running;
}
