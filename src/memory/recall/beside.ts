/**
 * Owns: asking the thread that remembers.
 *
 * 1. The thread starts with the first question, or a while after the first event; a process that needs neither has none.
 * 2. A thread that died is started again by the next question; those who waited are told.
 * 3. It never keeps the process alive.
 */
import { Worker } from 'node:worker_threads';
import { OkaError } from '../../schema/errors.ts';
import type { ForPrompt, PackFor } from './pack-for.ts';
import type { RecallOptions } from './recall.ts';
import type { Answer, Asked } from './search.ts';

/** `artifacts` is their folder. */
export type ThreadOptions = Pick<RecallOptions, 'folder' | 'ledgers' | 'settings'> & { artifacts: string };

type Question =
  | { kind: 'catch up' }
  | { kind: 'search'; asked: Asked }
  | { kind: 'pack'; ask: PackFor }
  | { kind: 'close' };
export type Asking = Question & { number: number };
export type Answered = { number: number } & ({ value: unknown } | { error: string });

export type Beside = {
  search(asked: Asked): Promise<Answer>;
  pack(ask: PackFor): Promise<ForPrompt>;
  /** Something was written; the index follows in a while. */
  changed(): void;
  close(): Promise<void>;
};

const FOLLOW_AFTER_MS = 1000;

type Waiting = { resolve: (value: never) => void; reject: (error: unknown) => void };
type Running = { thread: Worker; waiting: Map<number, Waiting> };

export function recallBeside(options: ThreadOptions): Beside {
  let running: Running | null = null;
  let number = 0;
  let following: NodeJS.Timeout | null = null;
  let closed = false;

  function ask<T>(question: Question): Promise<T> {
    if (closed) return Promise.reject(new OkaError('refused', 'what is remembered is closed'));
    running ??= started(options, (over) => {
      if (running === over) running = null;
    });
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    number += 1;
    running.waiting.set(number, { resolve, reject });
    running.thread.ref();
    running.thread.postMessage({ ...question, number } satisfies Asking, []);
    return promise;
  }

  function follow(): void {
    following = null;
    if (closed) return;
    ask({ kind: 'catch up' }).catch(() => undefined); // it is tried again with the next event
  }

  return {
    search: (asked) => ask({ kind: 'search', asked }),
    pack: (wanted) => ask({ kind: 'pack', ask: wanted }),
    changed: () => {
      following ??= setTimeout(follow, FOLLOW_AFTER_MS).unref();
    },
    close: async () => {
      if (following !== null) clearTimeout(following);
      if (running !== null) {
        await ask({ kind: 'close' }).catch(() => undefined);
        await running?.thread.terminate();
      }
      closed = true;
    },
  };
}

function started(options: ThreadOptions, over: (running: Running) => void): Running {
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData: options, name: 'memory' });
  const running: Running = { thread, waiting: new Map() };
  const end = (reason: string): void => {
    over(running);
    for (const { reject } of running.waiting.values()) reject(new OkaError('refused', reason));
    running.waiting.clear();
  };
  thread.on('message', (answered: Answered) => {
    const waiting = running.waiting.get(answered.number);
    running.waiting.delete(answered.number);
    if (running.waiting.size === 0) thread.unref();
    if ('error' in answered) waiting?.reject(new OkaError('refused', answered.error));
    else waiting?.resolve(answered.value as never);
  });
  thread.on('error', (error) => end(`the thread that remembers failed: ${error.message}`));
  thread.on('exit', () => end('the thread that remembers ended'));
  return running;
}
