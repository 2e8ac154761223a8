/**
 * Owns: the runs of the fleet that this process owns, and publishing their events once they are on disk.
 * Does not own: the fence itself (rooms/fleet/servers/run-fence.ts), taking and losing runs (fleet-tasks.ts).
 *
 * O1 An event of an owned run is acknowledged when it is durable in this home's ledger AND acknowledged by the fence.
 *    The engine waits for both before a call that may change anything acts.
 * O2 The stream gets an event after the disk: the file always has at least what the stream has.
 * O3 What an event names is in the object store before the stream has the event: artifacts, and the files of the folder
 *    of the run after each call that wrote there.
 * O4 A run belongs to the task that it is part of: all its runs inside share one fence.
 * O5 A task that this process no longer owns is remembered: what was just beginning in it when it was lost must not act.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunFence } from './servers/run-fence.ts';
import type { StoredEvent } from './servers/run-owner.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';

export type OwnedRuns = {
  add(fence: RunFence): void;
  /** Only the claim that it was added with: a later one of the same task stays. */
  remove(fence: RunFence): void;
  get(task: string): RunFence | null;
  /** The fence of a run of a task; null where it is no run of the fleet, `lost` where its task is not owned any more. */
  fenceOf(run: string): RunFence | 'lost' | null;
  /** Says that everything of a task is here, its folder too, so that it can be continued. */
  markReady(task: string): void;
  /** Takes that back: nobody here continues it any more. */
  markUnready(task: string): void;
  isReady(task: string): boolean;
  /** How many tasks have become ready so far. */
  readyCount(): number;
  tasks(): string[];
  /** The runs inside a task, itself included, that this process has seen. */
  runsOf(task: string): string[];
  /** Takes note of which runs are inside a task, from events of before. */
  learn(events: readonly Event[]): void;
  /** Takes note of a batch that is on disk. */
  publish(events: readonly Event[]): void;
  /** Resolves when the fence has acknowledged these events (O1); rejects when the run was lost (O5). */
  acknowledged(events: readonly Event[]): Promise<void>;
  /** Resolves when everything of a task that is on disk was acknowledged, too; rejects when it was lost. */
  settled(task: string): Promise<void>;
};

type OwnedRunsPorts = {
  /** Resolves when the artifacts that these events name are in the object store. */
  share: (events: readonly Event[]) => Promise<void>;
  /** Stores the folder of a task in the object store; null when it has none. */
  storeFolder: (task: string) => Promise<string | null>;
};

type Owned = { fence: RunFence; queue: Promise<void>; isReady: boolean };

export function ownedRuns({ share, storeFolder }: OwnedRunsPorts): OwnedRuns {
  const owned = new Map<string, Owned>();
  /** Also of tasks that were owned before. */
  const taskOf = new Map<string, string>();
  const past = new Set<string>();
  let readyCount = 0;
  const publishTo = (task: string, own: Owned, events: readonly Event[]): void => {
    own.queue = own.queue.then(async () => {
      await share(events);
      const desk = events.some(hasWritten) ? await untilStored(own.fence, () => storeFolder(task)) : null;
      own.fence.publish(events as unknown as StoredEvent[], desk);
    });
  };
  const forget = (count: number): void => {
    const oldest = new Set([...past].slice(0, count));
    for (const task of oldest) past.delete(task);
    for (const [run, task] of taskOf) if (oldest.has(task)) taskOf.delete(run);
  };
  return {
    add: (fence) => {
      owned.set(fence.run, { fence, queue: Promise.resolve(), isReady: false });
      past.delete(fence.run);
      taskOf.set(fence.run, fence.run);
    },
    remove: (fence) => {
      const task = fence.run;
      if (owned.get(task)?.fence !== fence) return;
      owned.delete(task);
      past.add(task);
      if (past.size > MOST_PAST) forget(Math.ceil(MOST_PAST / 2));
    },
    get: (task) => owned.get(task)?.fence ?? null,
    fenceOf: (run) => {
      const task = taskOf.get(run);
      return task === undefined ? null : (owned.get(task)?.fence ?? 'lost');
    },
    markReady: (task) => {
      const own = owned.get(task);
      if (own === undefined) return;
      own.isReady = true;
      readyCount += 1;
    },
    markUnready: (task) => {
      const own = owned.get(task);
      if (own !== undefined) own.isReady = false;
    },
    readyCount: () => readyCount,
    isReady: (task) => owned.get(task)?.isReady === true,
    tasks: () => [...owned.keys()],
    runsOf: (task) => [...taskOf].flatMap(([run, of]) => (of === task ? [run] : [])),
    learn: (events) => {
      for (const event of events) findTask(taskOf, event);
    },
    publish: (events) => {
      if (taskOf.size === 0) return;
      for (const [task, mine] of Map.groupBy(events, (event) => findTask(taskOf, event))) {
        const own = task === null ? undefined : owned.get(task);
        if (task !== null && own !== undefined) publishTo(task, own, mine);
      }
    },
    acknowledged: async (events) => {
      if (taskOf.size === 0) return;
      for (const [task, mine] of Map.groupBy(events, (event) => findTask(taskOf, event))) {
        const own = task === null ? undefined : owned.get(task);
        if (task !== null && own === undefined && mine.some(isIntent)) throw ownedNoMore(task);
        await own?.queue;
        await own?.fence.acknowledged();
      }
    },
    settled: async (task) => {
      const own = owned.get(task);
      await own?.queue;
      await own?.fence.acknowledged();
    },
  };
}

const RETRY_MS = 500;
/** Tasks that were owned before; what began in them has ended long ago when they are forgotten. */
const MOST_PAST = 2000;

/** Retries until it is stored, or the run was lost. */
async function untilStored(fence: RunFence, store: () => Promise<string | null>): Promise<string | null> {
  while (!fence.isLost)
    try {
      return await store();
    } catch {
      await sleep(RETRY_MS); // the servers do not answer; nothing is acknowledged meanwhile
    }
  return null;
}

/** The task of an event; a run that another one starts belongs to the same task (O4). */
function findTask(taskOf: Map<string, string>, { type, run, data }: Event): string | null {
  if (run === null) return null;
  const known = taskOf.get(run);
  if (known !== undefined) return known;
  const around = type === 'run.started' && data.parent !== null ? taskOf.get(data.parent) : undefined;
  if (around === undefined) return null;
  taskOf.set(run, around);
  return around;
}

const isIntent = ({ type }: Event): boolean => type === 'call.started';

const ownedNoMore = (task: string): OkaError =>
  new OkaError('run-fenced', `run ${task} is not worked on here any more, so nothing of it begins`);

const hasWritten = ({ type, data }: Event): boolean => type === 'desk.kept' && data.when === 'after';
