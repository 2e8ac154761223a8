/**
 * Owns: the inbox of the fleet: tasks that any member with the right labels may take.
 *
 * Q1 A task is removed from the queue when its result was published, not before: a worker that dies leaves it to another.
 * Q2 It is given to another worker when nothing was heard of the first for the ack wait. That is a hint only: both may
 *    work on it then, and the fence of its run decides (run-fence.ts).
 * Q3 A consumer that the servers have lost, such as with damaged files, is made again by every member that has seen it. It
 *    delivers everything that is in the queue again, which is the same hint.
 */
import { AckPolicy, type Consumer, type ConsumerInfo, JetStreamApiError, type JsMsg } from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { hash } from 'node:crypto';
import { TaskMessage } from '../../../core/schema/fleet.ts';
import type { FleetConnection } from './connect-fleet.ts';
import { findStream } from './fleet-streams.ts';
import { publisherOf, RUNS, TASKS, taskSubject, taskSubjects } from './fleet-subjects.ts';

export type QueuedTask = {
  task: TaskMessage;
  /** How often it was given to a worker, this time included. */
  deliveries: number;
  /** Says that it is being worked on. */
  working: () => void;
  /** Removes it from the queue; resolves when that is certain. */
  finish: () => Promise<void>;
  /** Gives it back; others get it after a moment. */
  release: (afterMs?: number) => void;
};

export type TaskQueue = {
  /** Returns where the task is in the queue; a task that was sent in the last hour is not stored again. */
  send(task: TaskMessage): Promise<number>;
  /** Where a task is that was perhaps sent before, however long ago; null when it is not there. */
  findAgain(id: string): Promise<number | null>;
  /** The next task for a worker with these labels; null when there is none for a while. */
  take(labels: readonly string[]): Promise<QueuedTask | null>;
  depth(): Promise<QueueDepth[]>;
  /** The queue, and how far the servers behind the fence follow their leader. */
  overview(): Promise<QueueOverview>;
  /** Tasks that have not been finished. */
  all(): AsyncGenerator<{ task: TaskMessage; sequence: number }>;
  /** One of them by its id; null when the queue does not have it. */
  find(id: string): Promise<TaskMessage | null>;
  /** Takes a task out of the queue by its id, whoever has it: its run is over. */
  remove(id: string): Promise<void>;
};

type QueueOverview = {
  queue: QueueDepth[];
  /** When the first task of it was stored. */
  oldest: string | null;
  replicas: { name: string; isCurrent: boolean; lag: number }[];
};

type QueueDepth = { needs: string[]; waiting: number; taken: number };

const POLL_MS = 1000;
const LIST_EVERY_MS = 3000;
const RELEASE_MS = 2000;
/** A task that cannot be read stays: a member with a newer version of oka may be able to. */
const UNREADABLE_MS = 60_000;
const ALREADY_THERE = 10148;

export function taskQueue(connection: FleetConnection, { ackWaitMs }: { ackWaitMs: number }): TaskQueue {
  const { js, manager } = connection;
  const { ensure, list, depth } = taskConsumers(connection, ackWaitMs);
  let turn = 0;
  /** The servers have said that they do not have these. */
  const absent = new Set<string>();
  const locate = async (id: string): Promise<{ task: TaskMessage; sequence: number } | null> => {
    for await (const found of allTasks(connection)) if (found.task.id === id) return found;
    return null;
  };
  return {
    send: async (task) => {
      const { id, home, needs } = task;
      await ensure(needs);
      absent.delete(id);
      try {
        return (await js.publish(taskSubject(nameOf(needs), home), JSON.stringify(task), { msgID: id })).seq;
      } catch (error) {
        if (error instanceof JetStreamApiError) absent.add(id);
        throw error;
      }
    },
    findAgain: async (id) => (absent.has(id) ? null : ((await locate(id))?.sequence ?? null)),
    take: async (labels) => {
      const fitting = (await list()).filter((each) => needsOf(each).every((need) => labels.includes(need)));
      const next = fitting[turn++ % Math.max(1, fitting.length)];
      if (next === undefined) return null;
      const consumer: Consumer = js.consumers.getConsumerFromInfo(next); // without a request
      const message = await consumer.next({ expires: POLL_MS });
      return message === null ? null : toQueued(message);
    },
    depth,
    overview: async () => ({ queue: await depth(), ...(await conditionOf(connection)) }),
    all: () => allTasks(connection),
    find: async (id) => (await locate(id))?.task ?? null,
    remove: async (id) => {
      const found = await locate(id);
      if (found !== null) await manager.streams.deleteMessage(TASKS, found.sequence, false);
    },
  };
}

type TaskConsumers = {
  ensure: (needs: readonly string[]) => Promise<void>;
  list: () => Promise<ConsumerInfo[]>;
  depth: () => Promise<QueueDepth[]>;
};

/** One for each set of labels that tasks need (Q3). */
function taskConsumers({ manager }: FleetConnection, ackWaitMs: number): TaskConsumers {
  const known = new Map<string, readonly string[]>();
  let consumers: ConsumerInfo[] = [];
  let listedAt = Number.NEGATIVE_INFINITY;
  const ensure = async (needs: readonly string[]): Promise<void> => {
    const name = nameOf(needs);
    if (known.has(name)) return;
    await manager.consumers
      .add(TASKS, {
        durable_name: name,
        filter_subject: taskSubjects(name),
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(ackWaitMs),
        max_deliver: -1,
        max_ack_pending: -1,
        metadata: { needs: JSON.stringify(needs) },
      })
      .catch(ignoreExisting);
    known.set(name, needs);
  };
  const restoreLost = async (): Promise<void> => {
    for (const each of consumers) if (each.name === nameOf(needsOf(each))) known.set(each.name, needsOf(each));
    const lost = [...known].filter(([name]) => consumers.every((each) => each.name !== name));
    for (const [name, needs] of lost) {
      known.delete(name);
      await ensure(needs);
      listedAt = Number.NEGATIVE_INFINITY;
    }
  };
  const list = async (): Promise<ConsumerInfo[]> => {
    if (performance.now() - listedAt < LIST_EVERY_MS) return consumers;
    const found = (): Promise<ConsumerInfo[]> => Array.fromAsync(manager.consumers.list(TASKS));
    consumers = await found();
    if (!known.has(nameOf([])) && consumers.every(({ name }) => name !== nameOf([]))) {
      await ensure([]); // not before: a server with a full disk could not answer, also where there is one
      consumers = await found();
    }
    listedAt = performance.now();
    await restoreLost();
    return consumers;
  };
  const depth = async (): Promise<QueueDepth[]> => {
    listedAt = Number.NEGATIVE_INFINITY;
    return (await list()).map((each) => ({
      needs: needsOf(each),
      waiting: each.num_pending,
      taken: each.num_ack_pending,
    }));
  };
  return { ensure, list, depth };
}

async function* allTasks({ manager }: FleetConnection): ReturnType<TaskQueue['all']> {
  for (let next = 1; ; ) {
    const query = { seq: next, next_by_subj: taskSubjects('*') };
    const stored = await manager.streams.getMessage(TASKS, query);
    if (stored === null) return;
    const task = parseTask(stored);
    if (task !== null) yield { task, sequence: stored.seq };
    next = stored.seq + 1;
  }
}

async function conditionOf(connection: FleetConnection): Promise<Omit<QueueOverview, 'queue'>> {
  const [tasks, runs] = await Promise.all([findStream(connection, TASKS), findStream(connection, RUNS)]);
  const oldest = (tasks?.state.messages ?? 0) > 0 ? (tasks?.state.first_ts ?? null) : null;
  return {
    oldest: oldest === null ? null : new Date(oldest).toISOString(),
    replicas: (runs?.cluster?.replicas ?? []).map(({ name, current, lag }) => ({
      name,
      isCurrent: current,
      lag: lag ?? 0,
    })),
  };
}

function toQueued(message: JsMsg): QueuedTask | null {
  const task = parseTask(message);
  if (task === null) {
    giveBack(message, UNREADABLE_MS);
    return null;
  }
  return {
    task,
    deliveries: message.info.deliveryCount,
    working: () => message.working(),
    finish: async () => {
      await message.ackAck();
    },
    release: (afterMs = RELEASE_MS) => giveBack(message, afterMs),
  };
}

/** Earlier or later by chance: all members ask at the same pace, and one who cannot take it would get it every time. */
const giveBack = (message: JsMsg, afterMs: number): void => message.nak(Math.round(afterMs * (0.5 + Math.random())));

/** The subject says which home has sent it. */
function parseTask(message: { subject: string; json: () => unknown }): TaskMessage | null {
  try {
    const task = TaskMessage.safeParse(message.json());
    return task.success ? { ...task.data, home: publisherOf(message.subject) } : null;
  } catch {
    return null; // no JSON
  }
}

/** Another member has created it at the same moment, perhaps with another ack wait. */
function ignoreExisting(error: unknown): void {
  if (!(error instanceof JetStreamApiError && error.code === ALREADY_THERE)) throw error;
}

const nameOf = (needs: readonly string[]): string =>
  needs.length === 0 ? 'any' : `needs-${hash('sha256', JSON.stringify(needs)).slice(0, 16)}`;

const needsOf = ({ config: { metadata } }: ConsumerInfo): string[] =>
  JSON.parse(metadata?.['needs'] ?? '[]') as string[];
