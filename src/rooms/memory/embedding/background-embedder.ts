/**
 * Owns: running the embedding model in a worker thread.
 *
 * 1. Keyword search never waits for a model that is loading or working, because that happens in the other thread.
 * 2. A thread that died is started again by the next request; pending requests are rejected.
 * 3. The thread never keeps the process alive.
 * 4. A thread that nobody has asked for minutes ends, and gives its memory back; the next request starts it again.
 */
import { Worker } from 'node:worker_threads';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Embedder, EmbedderSettings } from './embedding-model.ts';
import type { EmbedReply, EmbedRequest } from './embedding-worker.ts';

type PendingRequest = { resolve: (vector: Float32Array) => void; reject: (error: unknown) => void };
type RunningThread = { thread: Worker; waiting: Map<number, PendingRequest>; over: Promise<void> };
type OpenEmbedder = Pick<Embedder, 'model' | 'dims'> & RunningThread;

/** The thread needs little memory of its own; the default would let it grow by 50 MB of garbage while the model loads. */
const YOUNG_MB = 12;

/** A thread with a model takes about 90 MB; to start one again takes half a second of a core. */
const QUIET_MS = 5 * 60 * 1000;

export async function openBackgroundEmbedder(settings: EmbedderSettings, quietMs = QUIET_MS): Promise<Embedder> {
  let running: OpenEmbedder | null = null;
  let opening: Promise<OpenEmbedder> | null = null;
  let quiet: NodeJS.Timeout | undefined;
  let number = 0;

  function ensureRunning(): Promise<OpenEmbedder> {
    if (running !== null) return Promise.resolve(running);
    opening ??= startWorkerThread(settings, (thread) => {
      if (running?.thread === thread) running = null;
    }).then((fresh) => (running = fresh));
    return opening.finally(() => (opening = null));
  }

  function endWhenQuiet(): void {
    clearTimeout(quiet);
    quiet = setTimeout(() => void end(), quietMs).unref();
  }

  /** The thread answers what it was asked before, and ends. */
  function end(): Promise<void> | undefined {
    const last = running;
    running = null;
    last?.thread.postMessage({ number: 0, close: true } satisfies EmbedRequest, []);
    return last?.over;
  }

  async function embed(text: string): Promise<Float32Array> {
    clearTimeout(quiet);
    // No await if the thread runs: the text is posted at once, so that the caller can do something else meanwhile.
    const { thread, waiting } = running ?? (await ensureRunning());
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    number += 1;
    waiting.set(number, { resolve, reject });
    thread.ref();
    thread.postMessage({ number, text } satisfies EmbedRequest, []);
    return promise.finally(endWhenQuiet);
  }

  const { model, dims } = await ensureRunning();
  endWhenQuiet();
  return {
    model,
    dims,
    embed,
    close: async () => {
      clearTimeout(quiet);
      running?.thread.ref();
      await end();
    },
  };
}

function startWorkerThread(settings: EmbedderSettings, over: (thread: Worker) => void): Promise<OpenEmbedder> {
  const { promise, resolve, reject } = Promise.withResolvers<OpenEmbedder>();
  const ended = Promise.withResolvers<void>();
  const thread = new Worker(new URL('./embedding-worker.ts', import.meta.url), {
    workerData: settings,
    name: 'embedding',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const running: RunningThread = { thread, waiting: new Map(), over: ended.promise };
  const end = (reason: string): void => {
    over(thread);
    const error = new OkaError('refused', reason);
    reject(error);
    for (const each of running.waiting.values()) each.reject(error);
    running.waiting.clear();
    ended.resolve();
  };
  thread.on('message', (reply: EmbedReply) => {
    if ('opened' in reply) return resolve({ ...reply.opened, ...running });
    if ('failed' in reply) return reject(new OkaError('refused', reply.failed));
    settleRequest(running, reply);
  });
  thread.on('error', (error) => end(`the embedding thread failed: ${error.message}`));
  thread.on('exit', () => end('the embedding thread ended'));
  return promise.finally(() => thread.unref());
}

function settleRequest({ thread, waiting }: RunningThread, reply: Extract<EmbedReply, { number: number }>): void {
  const request = waiting.get(reply.number);
  waiting.delete(reply.number);
  if (waiting.size === 0) thread.unref();
  if ('vector' in reply) request?.resolve(reply.vector);
  else request?.reject(new OkaError('refused', reply.error));
}
