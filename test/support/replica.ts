/** Ledgers to replicate, a replica in memory behind the port, and a follower with the time and chance of a test. */
import { join } from 'node:path';
import { openLedger } from '../../src/core/ledger/ledger.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { replicateLedgers, type FollowPorts } from '../../src/rooms/replica/copy/replicate-ledgers.ts';
import { prepareOutgoing } from '../../src/rooms/replica/copy/outgoing.ts';
import { fetchEvents } from '../../src/rooms/replica/copy/fetch-events.ts';
import { recordHash } from '../../src/rooms/replica/copy/ledger-record.ts';
import { OkaError } from '../../src/core/schema/errors.ts';
import type { NewEvent, Pen } from '../../src/core/schema/event.ts';
import type { Redact } from '../../src/core/schema/ports.ts';
import type { Appended, Replica, ReplicaOf, WireEvent } from '../../src/core/schema/replica-port.ts';

export const PENS = ['run', 'maintenance'] as const satisfies Pen[];

export type Files = FollowPorts['files'];

export const filesIn = (dir: string): Files => ({
  run: join(dir, 'run_ledger.jsonl'),
  maintenance: join(dir, 'maintenance_ledger.jsonl'),
});

export const noteEvent = (text: string): NewEvent => ({ type: 'run.paused', run: 'r1', data: { reason: text } });

/** Appends in batches of 50; nothing is flushed to the disk itself, and nothing is taken out. */
export async function write(file: string, pen: Pen, events: readonly NewEvent[], redact: Redact = (text) => text) {
  const flush = { now: () => undefined, later: async () => undefined };
  const ledger = await openLedger(file, pen, { redact, flush });
  for (let from = 0; from < events.length; from += 50) await ledger.append(events.slice(from, from + 50));
  await ledger.close();
}

export const many = (count: number, label: string): NewEvent[] =>
  Array.from({ length: count }, (_, index) => noteEvent(`${label} ${index} ${'words '.repeat(index % 7)}`));

export type MemoryReplica = Replica & {
  events: { [pen in Pen]: WireEvent[] };
  calls: { head: number; append: number; page: number };
  /** What happens to the next request; the work is done, or not, before it fails. */
  mishap: (call: 'head' | 'append' | 'page') => 'none' | 'lost request' | 'lost answer';
};

/** Stores what it gets by the rules of the port. */
export function memoryReplica(): MemoryReplica {
  const events: MemoryReplica['events'] = { run: [], maintenance: [] };
  const calls = { head: 0, append: 0, page: 0 };
  const replica: MemoryReplica = {
    events,
    calls,
    mishap: () => 'none',
    head: (of) => answered('head', () => placeOf(events[of.pen].at(-1))),
    page: (of, from, limit) => answered('page', () => events[of.pen].slice(from - 1, from - 1 + limit)),
    append: (of, sent) => answered('append', () => appended(of, sent)),
  };
  async function answered<T>(call: keyof typeof calls, work: () => T): Promise<T> {
    calls[call] += 1;
    const mishap = replica.mishap(call);
    await new Promise(setImmediate);
    if (mishap === 'lost request') throw new OkaError('replica-down', 'it is down');
    const answer = work();
    if (mishap === 'lost answer') throw new OkaError('replica-down', 'the answer was lost');
    return structuredClone(answer);
  }
  function appended({ pen }: ReplicaOf, sent: readonly WireEvent[]): Appended {
    const kept = events[pen];
    for (const event of sent) {
      const known = kept[event.seq - 1];
      const head = kept.at(-1);
      if (known !== undefined && known.hash !== event.hash)
        return { kind: 'fork', seq: event.seq, theirs: event.hash, ours: known.hash };
      if (known !== undefined) continue;
      if (event.seq !== (head?.seq ?? 0) + 1) return { kind: 'gap', next: kept.length + 1 };
      if (event.prev !== (head?.hash ?? '0'.repeat(64))) return { kind: 'broken', seq: event.seq };
      kept.push(event);
    }
    return { kind: 'ok', next: kept.length + 1 };
  }
  return replica;
}

const placeOf = (event: WireEvent | undefined): { seq: number; hash: string } | null =>
  event === undefined ? null : { seq: event.seq, hash: event.hash };

/** Time passes when it is slept through, and only then. */
export function testTime(): Pick<FollowPorts, 'clock' | 'sleep' | 'random'> & { slept: number[] } {
  let now = 1_000_000;
  const slept: number[] = [];
  return {
    slept,
    clock: () => now,
    random: () => 0.5,
    async sleep(ms) {
      now += ms;
      slept.push(ms);
      await new Promise(setImmediate);
    },
  };
}

export function portsFor(files: Files, replica: Replica, swapped: Partial<FollowPorts> = {}): FollowPorts {
  return {
    replica,
    ledger: 'home-1',
    files,
    outgoing: prepareOutgoing({ redact: (text) => text, except: [], seal: null }),
    ready: async () => undefined,
    limits: { events: 100, bytes: 64 * 1024 },
    pollMs: 1000,
    isOff: () => false,
    report: () => undefined,
    ...testTime(),
    ...swapped,
  };
}

export const caughtUp = (ports: FollowPorts, failures = 50): ReturnType<typeof replicateLedgers> =>
  replicateLedgers(ports, { kind: 'caught-up', failures }, AbortSignal.timeout(60_000));

/** Everything that a replica has of a home. */
export async function storedAt(replica: Replica, ledger = 'home-1'): Promise<MemoryReplica['events']> {
  const stored: MemoryReplica['events'] = { run: [], maintenance: [] };
  for (const pen of PENS)
    for await (const event of fetchEvents(
      replica,
      { ledger, pen },
      Number.MAX_SAFE_INTEGER,
      AbortSignal.timeout(300_000),
    ))
      stored[pen].push(event);
  return stored;
}

/** What is wrong with a replica of these ledgers; empty when it has every event once, whole and in order. */
export async function faultsOf(files: Files, events: MemoryReplica['events'], bodies = true): Promise<string[]> {
  const faults: string[] = [];
  for (const pen of PENS) {
    let seq = 0;
    for await (const line of readEvents(files[pen])) {
      const event = events[pen][seq];
      seq += 1;
      if (event?.seq !== line.seq || event.hash !== line.hash || event.prev !== line.prev)
        faults.push(`${pen} ${line.seq}: ${JSON.stringify(event).slice(0, 100)}`);
      else if (bodies && (event.body.kind !== 'plain' || recordHash(event, pen, event.body.text) !== line.hash))
        faults.push(`${pen} ${line.seq} has another body`);
    }
    if (events[pen].length !== seq) faults.push(`${pen}: ${events[pen].length} events instead of ${seq}`);
  }
  return faults;
}
