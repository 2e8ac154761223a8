/**
 * Owns: asking the thread that has the model.
 *
 * 1. Whoever searches by words never waits for a model that is loading or learning: that happens elsewhere.
 * 2. A thread that died is started again by the next text; those who waited are told.
 * 3. It never keeps the process alive.
 */
import { Worker } from 'node:worker_threads';
import { OkaError } from '../../schema/errors.ts';
import type { Embedder, EmbedderSettings } from './embed.ts';
import type { Given, Wanted } from './thread.ts';

type Waiting = { resolve: (vector: Float32Array) => void; reject: (error: unknown) => void };
type Running = { thread: Worker; waiting: Map<number, Waiting>; over: Promise<void> };
type Opened = Pick<Embedder, 'model' | 'dims'> & Running;

export async function embedderBeside(settings: EmbedderSettings): Promise<Embedder> {
  let running: Opened | null = null;
  let opening: Promise<Opened> | null = null;
  let number = 0;

  function opened(): Promise<Opened> {
    if (running !== null) return Promise.resolve(running);
    opening ??= started(settings, () => {
      running = null;
    }).then((fresh) => (running = fresh));
    return opening.finally(() => (opening = null));
  }

  async function embed(text: string): Promise<Float32Array> {
    const { thread, waiting } = await opened();
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    number += 1;
    waiting.set(number, { resolve, reject });
    thread.ref();
    thread.postMessage({ number, text } satisfies Wanted, []);
    return promise;
  }

  const { model, dims } = await opened();
  return {
    model,
    dims,
    embed,
    close: async () => {
      const last = running;
      last?.thread.ref();
      last?.thread.postMessage({ number: 0, close: true } satisfies Wanted, []);
      await last?.over;
    },
  };
}

function started(settings: EmbedderSettings, over: () => void): Promise<Opened> {
  const { promise, resolve, reject } = Promise.withResolvers<Opened>();
  const ended = Promise.withResolvers<void>();
  const thread = new Worker(new URL('./thread.ts', import.meta.url), { workerData: settings, name: 'meaning' });
  const running: Running = { thread, waiting: new Map(), over: ended.promise };
  const end = (reason: string): void => {
    over();
    const error = new OkaError('refused', reason);
    reject(error);
    for (const each of running.waiting.values()) each.reject(error);
    running.waiting.clear();
    ended.resolve();
  };
  thread.on('message', (given: Given) => {
    if ('opened' in given) return resolve({ ...given.opened, ...running });
    if ('failed' in given) return reject(new OkaError('refused', given.failed));
    settle(running, given);
  });
  thread.on('error', (error) => end(`the thread with the model failed: ${error.message}`));
  thread.on('exit', () => end('the thread with the model ended'));
  return promise.finally(() => thread.unref());
}

function settle({ thread, waiting }: Running, given: Extract<Given, { number: number }>): void {
  const asked = waiting.get(given.number);
  waiting.delete(given.number);
  if (waiting.size === 0) thread.unref();
  if ('vector' in given) asked?.resolve(given.vector);
  else asked?.reject(new OkaError('refused', given.error));
}
