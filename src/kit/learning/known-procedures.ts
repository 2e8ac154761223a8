/** The procedures and their status, folded from the maintenance ledger. */
import type { Event } from '../../core/schema/event.ts';
import type { Procedure, ProcedureMove, ProcedureStatus, Usual } from '../../core/schema/procedure.ts';

export type RecordedMove = ProcedureMove & { seq: number; at: string };

export type KnownProcedure = {
  procedure: Procedure;
  status: ProcedureStatus;
  /** The event of its latest version. */
  drafted: number;
  /** Set by a person, overriding the numbers. */
  forced: boolean;
  /** Whether it is promoted, and the critic judges its uses as well: it, or its latest version, is new. */
  probation: boolean;
  /** What good runs read and wrote, as far as it is known; null for one that was never promoted. */
  usual: Usual | null;
  /** Its changes of status, the latest last. */
  moves: RecordedMove[];
};

/** Whether it came from another home, and no run of this one has had the plan that it gives. */
export const isUnconfirmed = (procedure: Procedure | undefined): boolean =>
  procedure?.from !== undefined && procedure.evidence.length === 0;

/** The events that count; undone ones are left out. */
export type ProcedureState = { drafts: Map<string, RecordedDraft[]>; moves: Map<string, RecordedMove[]> };
type RecordedDraft = { seq: number; procedure: Procedure };

export function applyProcedureEvent({ drafts, moves }: ProcedureState, event: Event): void {
  const { type, seq, at } = event;
  if (type === 'procedure.drafted') {
    const { procedure } = event.data;
    drafts.set(procedure.id, [...(drafts.get(procedure.id) ?? []), { seq, procedure }]);
  } else if (type === 'procedure.moved') {
    const { procedure } = event.data;
    moves.set(procedure, [...(moves.get(procedure) ?? []), { ...event.data, seq, at }]);
  } else if (type === 'change.undone') {
    for (const remaining of [drafts, moves] as Map<string, { seq: number }[]>[])
      for (const [id, each] of remaining)
        if (each.some((one) => one.seq === event.data.change))
          remaining.set(
            id,
            each.filter((one) => one.seq !== event.data.change),
          );
  }
}

export function listFoldedProcedures({ drafts, moves }: ProcedureState): KnownProcedure[] {
  return [...drafts].flatMap(([id, versions]): KnownProcedure[] => {
    const latest = versions.toSorted((a, b) => a.procedure.version - b.procedure.version || a.seq - b.seq).at(-1);
    if (latest === undefined) return [];
    const own = moves.get(id) ?? [];
    const last = own.at(-1);
    const { procedure, seq: drafted } = { ...latest };
    const [status, isForced] = [last?.to ?? 'candidate', last?.forced ?? false];
    const isNew = last?.probation === true || (!isForced && drafted > (last?.seq ?? 0));
    return [
      {
        procedure,
        status,
        drafted,
        forced: isForced,
        probation: status === 'promoted' && isNew,
        usual: own.findLast(({ usual }) => usual !== undefined)?.usual ?? null,
        moves: own,
      },
    ];
  });
}
