/**
 * Owns: reading the facts of another home from a replica, as requests to store them here.
 *
 * P1 Nothing is imported from a replica whose chain is broken: every readable record is hashed again.
 * P2 The id of a fact names its origin (ledger, pen, seq). It counts as imported: it is never a standing instruction, and
 *    a fact that came from a tool stays one.
 * P3 The same fact is the same request, however often it is pulled.
 */
import { hash } from 'node:crypto';
import { START } from '../../../core/ledger/line.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Event, Pen } from '../../../core/schema/event.ts';
import type { FactPlace, FoldedFact, Sharing } from '../../../core/schema/sharing.ts';
import { FactGiven, Forgotten, STANDING } from '../../../core/schema/memory.ts';
import type { Replica, ReplicaOf, WireEvent } from '../../../core/schema/replica-port.ts';
import { fetchEvents } from './fetch-events.ts';
import { recordHash } from './ledger-record.ts';
import type { Open } from './seal.ts';

/** An event about facts. `cause` of the maintenance ledger: the last event of the run ledger read before it. */
type ReplicatedEvent = {
  pen: Pen;
  seq: number;
  at: string;
  run: string | null;
  cause: number | null;
  type: string;
  data: unknown;
};

const runSeqOf = ({ pen, seq, cause }: ReplicatedEvent): number => (pen === 'run' ? seq : (cause ?? 0));

type PullPorts = {
  replica: Replica;
  ledger: string;
  open: Open | null;
  /** Folds events about facts, in their one order, to the facts that are valid after them. */
  factsAfter: NonNullable<Sharing['factsAfter']>;
  /** Now; expired facts are not imported. */
  now: string;
  signal: AbortSignal;
  reach?: (events: number) => void;
};

export type Pulled = {
  /** `id` is that of the request. */
  facts: { id: string; fact: FactGiven }[];
  events: number;
  /** Facts that cannot be read here: withheld, sealed to others, or invalid. */
  unreadable: number;
};

const PENS = ['run', 'maintenance'] as const satisfies Pen[];

export async function pullFacts(ports: PullPorts): Promise<Pulled> {
  const replicated: ReplicatedEvent[] = [];
  const pulled: Pulled = { facts: [], events: 0, unreadable: 0 };
  for (const pen of PENS)
    for await (const event of fetchCheckedEvents(ports, { ledger: ports.ledger, pen })) {
      pulled.events += 1;
      ports.reach?.(pulled.events);
      if (!isAboutFacts(event.type)) continue;
      const data = await readData(event, { ledger: ports.ledger, pen }, ports.open);
      const { seq, at, run, cause, type } = event;
      if (data !== null) replicated.push({ pen, seq, at, run, cause, type, data });
      else if (event.type === 'fact.kept') pulled.unreadable += 1;
    }
  const { events, invalid } = factEvents(replicated);
  const facts = ports.factsAfter(events).filter(({ fact }) => fact.expires === undefined || fact.expires > ports.now);
  return {
    ...pulled,
    unreadable: pulled.unreadable + invalid,
    facts: facts.map((each) => requestFor(each, ports.ledger)),
  };
}

const isAboutFacts = (type: string): boolean => type.startsWith('fact.') || type === 'change.undone';

/** The id under which a fact of another home is stored here. */
const idOfPulledFact = (ledger: string, { pen, seq }: FactPlace): string => `pulled.${ledger}.${pen}.${seq}`;

function requestFor({ fact, place, replaces }: FoldedFact, ledger: string): Pulled['facts'][number] {
  const id = idOfPulledFact(ledger, place);
  const { text, importance, confidence, expires } = fact;
  const given = FactGiven.parse({
    id,
    namespace: fact.namespace === STANDING ? 'general' : fact.namespace,
    text,
    importance,
    confidence,
    source: fact.source === 'tool' ? 'tool' : 'import',
    ...(expires === undefined ? {} : { expires }),
    supersedes: replaces.map((older) => idOfPulledFact(ledger, older)).slice(-100),
  });
  return { id: `pull-${hash('sha256', `${id}\n${text}`).slice(0, 40)}`, fact: given };
}

/** Events whose chain has been checked (P1). */
async function* fetchCheckedEvents({ replica, signal }: PullPorts, of: ReplicaOf): AsyncGenerator<WireEvent> {
  const head = await replica.head(of, signal);
  let at = { seq: START.seq, hash: START.hash };
  for await (const event of fetchEvents(replica, of, head?.seq ?? 0, signal)) {
    if (event.seq !== at.seq + 1 || event.prev !== at.hash)
      throw brokenReplica(of, at.seq + 1, 'the chain breaks there');
    if (event.body.kind === 'plain' && recordHash(event, of.pen, event.body.text) !== event.hash)
      throw brokenReplica(of, event.seq, 'its content does not match its hash');
    yield event;
    at = { seq: event.seq, hash: event.hash };
  }
  if (at.seq !== (head?.seq ?? 0)) throw brokenReplica(of, at.seq + 1, 'it is missing');
}

/** The data of an event, or null when it cannot be read here. */
async function readData(event: WireEvent, of: ReplicaOf, open: Open | null): Promise<unknown> {
  switch (event.body.kind) {
    case 'withheld':
      return null;
    case 'plain':
      return parseJsonOrNull(event.body.text);
    case 'sealed': {
      const opened = open === null ? null : await open(event.body.text, { ...of, seq: event.seq, hash: event.hash });
      if (opened === null || opened.kind === 'foreign') return null;
      if (opened.kind === 'changed' || recordHash(event, of.pen, opened.text) !== event.hash)
        throw brokenReplica(of, event.seq, 'its sealed content was changed');
      return parseJsonOrNull(opened.text);
    }
  }
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // somebody who forges a complete history can write anything into it
  }
}

function brokenReplica({ ledger, pen }: ReplicaOf, seq: number, why: string): OkaError {
  return new OkaError(
    'replica-refused',
    `event ${seq} of ${ledger} (${pen}) at the replica: ${why}; nothing was imported`,
    {
      fix: 'Verify it from the home that wrote it: oka replica verify',
    },
  );
}

/** The events that can be folded; `invalid` counts facts that this oka would not store. */
function factEvents(replicated: readonly ReplicatedEvent[]): { events: Event[]; invalid: number } {
  const undone = new Set(replicated.flatMap(undoneBy));
  const events: Event[] = [];
  let invalid = 0;
  for (const each of replicated.toSorted(inOneOrder)) {
    if (each.pen === 'maintenance' && undone.has(each.seq)) continue;
    const event = factEvent(each);
    if (event !== null) events.push(event);
    else if (each.type === 'fact.kept') invalid += 1;
  }
  return { events, invalid };
}

function factEvent({ pen, seq, at, run, cause, type, data }: ReplicatedEvent): Event | null {
  const frame = { pen, seq, at, run, cause, v: 1 };
  if (type === 'fact.forgotten') return { ...frame, type, data: { facts: forgottenIn(data), why: whyIn(data) } };
  if (type !== 'fact.kept') return null;
  const read = FactGiven.safeParse(data);
  return read.success ? { ...frame, type, data: read.data } : null;
}

/** The run ledger is the time line; an event of maintenance comes after the last run event it had read. */
function inOneOrder(a: ReplicatedEvent, b: ReplicatedEvent): number {
  return (
    runSeqOf(a) - runSeqOf(b) || Number(a.pen === 'maintenance') - Number(b.pen === 'maintenance') || a.seq - b.seq
  );
}

function undoneBy({ type, data }: ReplicatedEvent): number[] {
  const change = fieldOf(data, 'change');
  return type === 'change.undone' && typeof change === 'number' ? [change] : [];
}

function forgottenIn(data: unknown): string[] {
  const facts = fieldOf(data, 'facts');
  return Array.isArray(facts) ? facts.filter((id): id is string => typeof id === 'string') : [];
}

function whyIn(data: unknown): ReturnType<typeof Forgotten.parse> {
  const read = Forgotten.safeParse(fieldOf(data, 'why'));
  return read.success ? read.data : 'deleted';
}

function fieldOf(data: unknown, name: string): unknown {
  return data !== null && typeof data === 'object' ? (data as Readonly<Record<string, unknown>>)[name] : undefined;
}
