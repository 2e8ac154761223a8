/**
 * Owns: the readable text of a page of strangers, in bounded time and memory.
 *
 * P1 The libraries that understand pages run in a worker thread of their own, which is ended when it takes too long or
 *    too much. Then the text is taken out of the tags in one linear pass (strip-tags.ts): less pretty, always possible.
 */
import { Worker } from 'node:worker_threads';
import type { PageSource, PageText } from '../../kit/documents/readable-html.ts';
import { stripTags } from '../../kit/text/strip-tags.ts';

export type ReadablePage = PageText & {
  /** The page was too large or too broken to tell its article from the rest. */
  isSimplified: boolean;
};

export type PageLimits = { ms: number; megabytes: number };

const LIMITS: PageLimits = { ms: 10_000, megabytes: 256 };

export async function readPageText(source: PageSource, signal: AbortSignal, limits = LIMITS): Promise<ReadablePage> {
  const read = await readInThread(source, signal, limits);
  return read === null ? { ...stripTags(source), isSimplified: true } : { ...read, isSimplified: false };
}

/** Null when the thread could not do it. */
async function readInThread(source: PageSource, signal: AbortSignal, limits: PageLimits): Promise<PageText | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const thread = new Worker(new URL('./web-page-worker.ts', import.meta.url), {
    workerData: source,
    name: 'page text',
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.megabytes, maxYoungGenerationSizeMb: 32 },
  });
  const { promise, resolve } = Promise.withResolvers<PageText | null>();
  thread.on('message', (message: PageText | 'begun') => {
    if (message === 'begun') timer = setTimeout(() => resolve(null), limits.ms);
    else resolve(message);
  });
  thread.on('error', () => resolve(null));
  thread.on('exit', () => resolve(null));
  signal.addEventListener('abort', () => resolve(null), { once: true });
  if (signal.aborted) resolve(null);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    void thread.terminate();
    signal.throwIfAborted();
  }
}
