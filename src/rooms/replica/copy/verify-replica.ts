/**
 * Owns: comparing a replica with the local ledger, event by event, from the first to the last that the replica has.
 *
 * V1 The chain of the local ledger is verified at the same time: only valid records are compared.
 * V2 The first difference is reported with its seq. Nothing is repaired.
 * V3 A replica that has fewer, but equal events is behind; that is no difference.
 */
import { setTimeout as after } from 'node:timers/promises';
import { START } from '../../../core/ledger/line.ts';
import { lastSeqOf } from '../../../core/ledger/seek.ts';
import type { Replica, ReplicaOf, WireEvent } from '../../../core/schema/replica-port.ts';
import { fetchEvents } from './fetch-events.ts';
import { recordHash, type LedgerRecord } from './ledger-record.ts';
import type { Open } from './seal.ts';
import { SETTLE_MS, createSettledReader } from './settled-records.ts';

export type Verified = {
  /** Events that are the same on both sides. */
  events: number;
  /** Events that the replica does not have yet. */
  behind: number;
  /** Bodies that were withheld: only their place in the chain could be compared. */
  withheld: number;
  /** Sealed bodies that the local key does not open; likewise. */
  unopened: number;
  difference: Difference | null;
};

/** changed: it was tampered with. fork: another history. missing: a gap. twice: a duplicate. ahead: only the replica has it. */
type Difference = { seq: number; kind: 'changed' | 'fork' | 'missing' | 'twice' | 'ahead'; why: string };

type VerifyPorts = {
  replica: Replica;
  of: ReplicaOf;
  ledgerFile: string;
  /** Null: sealed bodies are not opened. */
  open: Open | null;
  signal: AbortSignal;
  reach?: (seq: number) => void;
  settlesMs?: number;
};

export async function verifyReplica(ports: VerifyPorts): Promise<Verified> {
  const { replica, of, ledgerFile, signal, reach, settlesMs = SETTLE_MS } = ports;
  const result: Verified = { events: 0, behind: 0, withheld: 0, unopened: 0, difference: null };
  const head = (await replica.head(of, signal)) ?? START;
  const reader = createSettledReader(ledgerFile, Date.now, settlesMs);
  const last = await reader.placeOf(head.seq);
  if (last === null && reader.hasUnsettled()) await after(settlesMs, undefined, { signal });
  const theirs = fetchEvents(replica, of, head.seq, signal);
  for await (const ours of reader.recordsAfter(START)) {
    if (ours.seq > head.seq) break;
    const { value } = (await theirs.next()) as { value: WireEvent | undefined };
    result.difference = await compareEvent(ours, value, ports, result);
    if (result.difference !== null) return result;
    result.events = ours.seq;
    reach?.(ours.seq);
    if (ours.seq === head.seq && ours.hash !== head.hash)
      return { ...result, difference: changedEvent(ours.seq, 'the replica reports another hash for its last event') };
  }
  if (result.events < head.seq)
    return { ...result, difference: { seq: result.events + 1, kind: 'ahead', why: 'this ledger does not have it' } };
  if ((await theirs.next()).done !== true)
    return { ...result, difference: { seq: head.seq, kind: 'twice', why: 'the replica has it twice' } };
  return { ...result, behind: Math.max(0, lastSeqOf(ledgerFile) - result.events) };
}

async function compareEvent(
  ours: LedgerRecord,
  theirs: WireEvent | undefined,
  { of, open }: VerifyPorts,
  counted: Verified,
): Promise<Difference | null> {
  const { seq } = ours;
  if (theirs === undefined || theirs.seq > seq) return { seq, kind: 'missing', why: 'the replica does not have it' };
  if (theirs.seq < seq) return { seq: theirs.seq, kind: 'twice', why: 'the replica has it twice' };
  if (theirs.hash !== ours.hash) return hashDifference(theirs, of);
  const field = FIELDS.find((name) => theirs[name] !== ours[name] && !isWithheldRun(name, theirs));
  if (field !== undefined) return changedEvent(seq, `its ${field} differs`);
  switch (theirs.body.kind) {
    case 'withheld':
      counted.withheld += 1;
      return null;
    case 'plain':
      return theirs.body.text === ours.data ? null : changedEvent(seq, 'its content does not match its hash');
    case 'sealed': {
      const opened =
        open === null ? ({ kind: 'foreign' } as const) : await open(theirs.body.text, { ...of, ...theirs });
      if (opened.kind === 'foreign') counted.unopened += 1;
      if (opened.kind === 'changed') return changedEvent(seq, `its sealed content does not open: ${opened.why}`);
      return opened.kind === 'foreign' || opened.text === ours.data
        ? null
        : changedEvent(seq, 'its sealed content does not match its hash');
    }
  }
}

const FIELDS = ['prev', 'type', 'run', 'at', 'cause', 'v', 'd'] as const;

/** A run id that redaction would change is withheld together with the body. */
const isWithheldRun = (name: string, { run, body }: WireEvent): boolean =>
  name === 'run' && run === null && body.kind === 'withheld';

/** A record that matches its hash belongs to another history; one that does not was changed. */
function hashDifference(theirs: WireEvent, { pen }: ReplicaOf): Difference {
  const { seq, hash, body } = theirs;
  if (body.kind === 'plain' && recordHash(theirs, pen, body.text) !== hash)
    return changedEvent(seq, 'its hash differs, and its content does not match it');
  return { seq, kind: 'fork', why: 'the replica has another event at this position' };
}

const changedEvent = (seq: number, why: string): Difference => ({ seq, kind: 'changed', why });
