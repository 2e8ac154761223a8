/**
 * Owns: copying both ledgers to a replica, from the last event it has to their end, and then following them.
 * Does not own: what may be sent (outgoing.ts), which records are settled (settled-records.ts), the transport (the port).
 *
 * R1 The replica says where to begin, after every start and after every failure; nothing stored here decides it.
 *    When an answer is lost, the same events are sent again, and the replica stores each once.
 * R2 Before the first event is sent, both ends are compared: a replica with another history is left alone for good.
 * R3 Only one batch is in memory at a time, whatever the backlog.
 * R4 A replica that is down costs one request now and then, with growing delays. Nothing else waits for replication.
 */
import { START } from '../../../core/ledger/line.ts';
import { lastSeqOf } from '../../../core/ledger/seek.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Pen } from '../../../core/schema/event.ts';
import type { Clock } from '../../../core/schema/ports.ts';
import type { Appended, Replica, ReplicaOf } from '../../../core/schema/replica-port.ts';
import type { Outgoing } from './outgoing.ts';
import type { LedgerRecord } from './ledger-record.ts';
import { createSettledReader, type Place, type SettledReader } from './settled-records.ts';

type Random = () => number;

const FIRST_MS = 1000;

const LONGEST_MS = 300_000;

type BatchLimits = { events: number; bytes: number };

/** About as many bytes as the other fields of a record take. */
const OTHER_FIELDS_BYTES = 400;

export type FollowPorts = {
  replica: Replica;
  /** Name of this home at the replica. */
  ledger: string;
  files: Readonly<{ [pen in Pen]: string }>;
  outgoing: Outgoing;
  /** Called before events are read: updates what redaction knows, or throws. */
  ready: () => Promise<void>;
  limits: BatchLimits;
  /** The pause before the ledgers are checked again when nothing was new. */
  pollMs: number;
  clock: Clock;
  random: Random;
  /** Resolves early when the signal comes. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Whether a person has switched replication off. */
  isOff(): boolean;
  report(told: Progress): void;
  settlesMs?: number;
};

export type Progress =
  | { kind: 'reached'; pen: Pen; place: Place }
  | { kind: 'waiting'; since: number; until: number; failures: number; why: string };

export type Ended =
  | { kind: 'aborted' }
  | { kind: 'off' }
  | { kind: 'caught-up' }
  | { kind: 'stopped'; why: string; fix: string }
  | { kind: 'unreachable'; why: string };

/** Forever, or until the replica has everything that was here at the start, with at most so many failures in a row. */
export type Until = { kind: 'ever' } | { kind: 'caught-up'; failures: number };

const PENS = ['run', 'maintenance'] as const satisfies Pen[];

/** The progress of one ledger. `place` is the last event that the replica has; null until it was asked. */
type Lane = { pen: Pen; reader: SettledReader; place: Place | null; goal: number };

export async function replicateLedgers(ports: FollowPorts, until: Until, signal: AbortSignal): Promise<Ended> {
  const lanes = PENS.map((pen) => startLane(pen, ports));
  let [failures, since] = [0, 0];
  while (!signal.aborted) {
    if (ports.isOff()) return { kind: 'off' };
    const turn = await takeTurn(lanes, ports, signal);
    switch (turn.kind) {
      case 'went':
        failures = 0;
        if (until.kind === 'caught-up' && lanes.every(hasCaughtUp)) return { kind: 'caught-up' };
        await ports.sleep(ports.pollMs, signal);
        break;
      case 'failed': {
        failures = turn.moved ? 1 : failures + 1;
        if (failures === 1) since = ports.clock();
        if (until.kind === 'caught-up' && failures >= until.failures) return { kind: 'unreachable', why: turn.why };
        const pause = retryDelay(failures, ports.random);
        ports.report({ kind: 'waiting', since, until: ports.clock() + pause, failures, why: turn.why });
        await ports.sleep(pause, signal);
        break;
      }
      case 'stopped':
        return turn;
      case 'aborted':
        break;
    }
  }
  return { kind: 'aborted' };
}

function startLane(pen: Pen, { files, clock, settlesMs }: FollowPorts): Lane {
  const reader = createSettledReader(files[pen], clock, settlesMs);
  return { pen, reader, place: null, goal: lastSeqOf(files[pen]) };
}

/** Also true when events that were there at the start have been rolled back since. */
function hasCaughtUp({ place, goal, reader }: Lane): boolean {
  return place !== null && (place.seq >= goal || !reader.hasUnsettled());
}

type Turn =
  | { kind: 'went' }
  | { kind: 'aborted' }
  | { kind: 'failed'; why: string; moved: boolean }
  | (Ended & { kind: 'stopped' });

/** Errors that no retry can fix. */
const FINAL = new Set(['replica-refused', 'ledger-damaged', 'unsafe-file']);

async function takeTurn(lanes: readonly Lane[], ports: FollowPorts, signal: AbortSignal): Promise<Turn> {
  let moved = false;
  const went = (): void => void (moved = true);
  try {
    for (const lane of lanes) await advance(lane, ports, went, signal);
    return { kind: 'went' };
  } catch (error) {
    for (const lane of lanes) lane.place = null; // the replica is asked again where it is (R1)
    if (signal.aborted) return { kind: 'aborted' };
    const why = messageOf(error).slice(0, 2000);
    if (!(error instanceof OkaError && FINAL.has(error.code))) return { kind: 'failed', why, moved };
    return { kind: 'stopped', why, fix: error.fix ?? 'Check it, then run: oka replica on' };
  }
}

/** Sends everything that is settled now. */
async function advance(lane: Lane, ports: FollowPorts, went: () => void, signal: AbortSignal): Promise<void> {
  const of = { ledger: ports.ledger, pen: lane.pen };
  if (lane.place === null) {
    lane.place = await findCommonPlace(lane, ports, signal);
    if (lane.place === null) return;
    ports.report({ kind: 'reached', pen: lane.pen, place: lane.place });
  }
  for await (const records of batchRecords(lane.reader.recordsAfter(lane.place), ports.limits))
    for (let rest = records; rest.length > 0; ) {
      if (ports.isOff() || signal.aborted) return;
      const place = await sendBatch(rest, of, ports, signal);
      lane.place = place;
      went();
      ports.report({ kind: 'reached', pen: lane.pen, place });
      rest = rest.filter(({ seq }) => seq > place.seq); // a replica may accept only the beginning of a batch
    }
}

async function sendBatch(
  records: readonly LedgerRecord[],
  of: ReplicaOf,
  { ready, outgoing, replica }: FollowPorts,
  signal: AbortSignal,
): Promise<Place> {
  await ready();
  const events = [];
  for (const record of records) events.push(await outgoing(record, of));
  return placeAfter(await replica.append(of, events, signal), records, of.pen);
}

/** The last event of the replica, if this ledger has the same (R2); null while that is not certain yet. */
async function findCommonPlace({ pen, reader }: Lane, ports: FollowPorts, signal: AbortSignal): Promise<Place | null> {
  const theirs = await ports.replica.head({ ledger: ports.ledger, pen }, signal);
  if (theirs === null) return START;
  const ours = await reader.placeOf(theirs.seq);
  if (ours === null && reader.hasUnsettled()) return null;
  if (ours === null)
    throw otherHistory(`the replica has ${theirs.seq} events of the ${pen} ledger, this home has fewer`);
  if (ours.hash !== theirs.hash)
    throw otherHistory(`event ${theirs.seq} of the ${pen} ledger is a different one at the replica`);
  return ours;
}

function placeAfter(answer: Appended, records: readonly LedgerRecord[], pen: Pen): Place {
  switch (answer.kind) {
    case 'ok': {
      const last = records.find(({ seq }) => seq === answer.next - 1);
      if (last !== undefined) return { seq: last.seq, hash: last.hash };
      throw new OkaError('replica-down', `the replica says it has up to event ${answer.next - 1} of the ${pen} ledger`);
    }
    case 'gap':
      throw new OkaError('replica-down', `the replica asks for event ${answer.next} of the ${pen} ledger again`);
    case 'fork':
      throw otherHistory(`event ${answer.seq} of the ${pen} ledger is a different one at the replica`);
    case 'broken':
      throw otherHistory(`event ${answer.seq} of the ${pen} ledger does not follow what the replica has`);
  }
}

function otherHistory(why: string): OkaError {
  return new OkaError('replica-refused', `${why}: the replica contains another history; nothing was changed there`, {
    fix: 'See where they differ: oka replica verify. If another home uses this name, set replica.ledger in config.json to a different one; then: oka replica on',
  });
}

/** Groups records into requests: as many as fit, and at least one. */
async function* batchRecords(
  records: AsyncIterable<LedgerRecord>,
  limits: BatchLimits,
): AsyncGenerator<LedgerRecord[]> {
  let [batch, bytes]: [LedgerRecord[], number] = [[], 0];
  for await (const record of records) {
    const size = OTHER_FIELDS_BYTES + Buffer.byteLength(record.data);
    if (batch.length > 0 && (batch.length >= limits.events || bytes + size > limits.bytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(record);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/** After the first failure 0.5 to 1 s, then twice as long, in the end 2.5 to 5 minutes. */
function retryDelay(failures: number, random: Random): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30));
  return Math.round(most * (0.5 + random() / 2));
}
