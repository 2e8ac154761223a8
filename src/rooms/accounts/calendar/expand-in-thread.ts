/**
 * Owns: expanding and editing events of strangers in bounded time and memory.
 *
 * E1 It is done in a worker thread of its own. An event that takes it too long, or too much, costs only itself: a series
 *    that is never due would be looked for without end.
 */
import { Worker } from 'node:worker_threads';
import type { Edited, EditTask } from './edit-event.ts';
import type { Expanded, Span } from './expand-events.ts';

type ExpandTask = { objects: readonly string[]; span: Span; me: readonly string[] };
export type ThreadTask = { expand: ExpandTask } | { edit: EditTask };
type ExpandLimits = { ms: number; megabytes: number; losses: number };

/** `losses` is how many events may end their thread before the rest is left out. */
const LIMITS: ExpandLimits = { ms: 10_000, megabytes: 256, losses: 4 };

/** One answer for each object, in order. */
export async function expandInThread(task: ExpandTask, signal: AbortSignal, limits = LIMITS): Promise<Expanded[]> {
  const expanded: Expanded[] = [];
  for (let losses = 0; expanded.length < task.objects.length; losses += 1) {
    if (losses > limits.losses) {
      const rest = task.objects
        .slice(expanded.length)
        .map(() => lost('it was left out, after others that took too long'));
      return [...expanded, ...rest];
    }
    const objects = task.objects.slice(expanded.length);
    expanded.push(...(await answersOf<Expanded>({ expand: { ...task, objects } }, objects.length, signal, limits)));
    if (expanded.length < task.objects.length) expanded.push(lost('its rule takes too long'));
  }
  return expanded;
}

const lost = (problem: string): Expanded => ({ occurrences: [], problem });

export async function editInThread(edit: EditTask, signal: AbortSignal, limits = LIMITS): Promise<Edited> {
  const [edited] = await answersOf<Edited>({ edit }, 1, signal, limits);
  return edited ?? { problem: 'its rule takes too long' };
}

/** Those before the first that ends the thread. */
async function answersOf<T>(task: ThreadTask, count: number, signal: AbortSignal, limits: ExpandLimits): Promise<T[]> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const answers: T[] = [];
  const thread = new Worker(new URL('./expand-worker.ts', import.meta.url), {
    workerData: task,
    name: 'events',
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: limits.megabytes, maxYoungGenerationSizeMb: 32 },
  });
  thread.on('message', (message: T | 'begun') => {
    if (message !== 'begun') answers.push(message);
    if (timer === undefined) timer = setTimeout(resolve, limits.ms);
    else timer.refresh();
    if (answers.length === count) resolve();
  });
  thread.on('error', () => resolve());
  thread.on('exit', () => resolve());
  const stop = (): void => resolve();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) resolve();
  try {
    await promise;
    return answers;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    void thread.terminate();
    signal.throwIfAborted();
  }
}
