/** Which facts another home still believes, from what happened to them in both of its ledgers. Pure. */
import type { Pen } from '../schema/event.ts';
import { FactGiven } from '../schema/memory.ts';

/** An event about facts. `cause` of the maintenance ledger: the last event of the run ledger read before it. */
export type Happening = { pen: Pen; seq: number; cause: number | null; type: string; data: unknown };
export type Kept = Pick<Happening, 'pen' | 'seq'>;
/** `replaces`: where it, or a fact whose place it takes, was kept before. */
export type HeldFact = { fact: FactGiven; place: Kept; replaces: Kept[] };

export function heldFacts(happenings: readonly Happening[]): { held: HeldFact[]; invalid: number } {
  const held = new Map<string, HeldFact>();
  const places = new Map<string, Kept[]>();
  const undone = new Set(happenings.flatMap(undoneBy));
  let invalid = 0;
  for (const happening of happenings.toSorted(inTime)) {
    if (happening.pen === 'maintenance' && undone.has(happening.seq)) continue;
    if (happening.type === 'fact.forgotten') for (const id of forgottenIn(happening.data)) held.delete(id);
    if (happening.type !== 'fact.kept') continue;
    const read = FactGiven.safeParse(happening.data);
    if (read.success) keep(read.data, happening, held, places);
    else invalid += 1;
  }
  return { held: [...held.values()], invalid };
}

function keep(
  fact: FactGiven,
  { pen, seq }: Happening,
  held: Map<string, HeldFact>,
  places: Map<string, Kept[]>,
): void {
  const before = places.get(fact.id) ?? [];
  const replaces = [...before, ...fact.supersedes.flatMap((id) => places.get(id) ?? [])];
  for (const id of fact.supersedes) held.delete(id);
  places.set(fact.id, [...before, { pen, seq }]);
  held.set(fact.id, { fact, place: { pen, seq }, replaces });
}

/** The run ledger is the time line; what maintenance did comes behind what it had read. */
function inTime(a: Happening, b: Happening): number {
  return (
    runSeqOf(a) - runSeqOf(b) || Number(a.pen === 'maintenance') - Number(b.pen === 'maintenance') || a.seq - b.seq
  );
}

const runSeqOf = ({ pen, seq, cause }: Happening): number => (pen === 'run' ? seq : (cause ?? 0));

function undoneBy({ type, data }: Happening): number[] {
  const change = fieldOf(data, 'change');
  return type === 'change.undone' && typeof change === 'number' ? [change] : [];
}

function forgottenIn(data: unknown): string[] {
  const facts = fieldOf(data, 'facts');
  return Array.isArray(facts) ? facts.filter((id): id is string => typeof id === 'string') : [];
}

function fieldOf(data: unknown, name: string): unknown {
  return data !== null && typeof data === 'object' ? (data as Readonly<Record<string, unknown>>)[name] : undefined;
}
