/** The procedures there are and how they stand: a fold over the maintenance ledger, for whoever reads it. */
import type { Event } from '../../schema/event.ts';
import type { Procedure, ProcedureMove, ProcedureStatus } from '../../schema/procedure.ts';

export type Moved = ProcedureMove & { seq: number; at: string };

export type KnownProcedure = {
  procedure: Procedure;
  status: ProcedureStatus;
  /** The event with which it got its latest version. */
  drafted: number;
  /** Put there by a person, above the numbers. */
  forced: boolean;
  /** How it came to stand as it does, the latest last. */
  moves: Moved[];
};

/** Events that count; what was taken back is not among them. */
export type Learned = { drafts: Map<string, Drafted[]>; moves: Map<string, Moved[]> };
type Drafted = { seq: number; procedure: Procedure };

export const nothingLearned = (): Learned => ({ drafts: new Map(), moves: new Map() });

export function learn({ drafts, moves }: Learned, event: Event): void {
  const { type, seq, at } = event;
  if (type === 'procedure.drafted') {
    const { procedure } = event.data;
    drafts.set(procedure.id, [...(drafts.get(procedure.id) ?? []), { seq, procedure }]);
  } else if (type === 'procedure.moved') {
    const { procedure } = event.data;
    moves.set(procedure, [...(moves.get(procedure) ?? []), { ...event.data, seq, at }]);
  } else if (type === 'change.undone') {
    for (const kept of [drafts, moves] as Map<string, { seq: number }[]>[])
      for (const [id, each] of kept)
        if (each.some((one) => one.seq === event.data.change))
          kept.set(
            id,
            each.filter((one) => one.seq !== event.data.change),
          );
  }
}

export function proceduresIn({ drafts, moves }: Learned): KnownProcedure[] {
  return [...drafts].flatMap(([id, versions]): KnownProcedure[] => {
    const latest = versions.toSorted((a, b) => a.procedure.version - b.procedure.version || a.seq - b.seq).at(-1);
    if (latest === undefined) return [];
    const own = moves.get(id) ?? [];
    const last = own.at(-1);
    const { procedure } = latest;
    return [
      { procedure, status: last?.to ?? 'candidate', drafted: latest.seq, forced: last?.forced ?? false, moves: own },
    ];
  });
}
