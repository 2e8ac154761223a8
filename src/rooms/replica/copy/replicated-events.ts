/** Events about facts from a replica: validated, without undone ones, in the one order of both ledgers. Pure. */
import type { Event, Pen } from '../../../core/schema/event.ts';
import { FactGiven, Forgotten } from '../../../core/schema/memory.ts';

/** An event about facts. `cause` of the maintenance ledger: the last event of the run ledger read before it. */
export type ReplicatedEvent = {
  pen: Pen;
  seq: number;
  at: string;
  run: string | null;
  cause: number | null;
  type: string;
  data: unknown;
};

/** The events that can be folded; `invalid` counts facts that this oka would not store. */
export function factEvents(replicated: readonly ReplicatedEvent[]): { events: Event[]; invalid: number } {
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

const runSeqOf = ({ pen, seq, cause }: ReplicatedEvent): number => (pen === 'run' ? seq : (cause ?? 0));

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
