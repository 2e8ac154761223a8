/** Owns: procedures and the status of each. The latest draft and the latest move count, in whichever order they arrive. */
import type { Row, Writing } from '../typed.ts';
import {
  isAfter,
  isSamePlace,
  numberIn,
  objectAt,
  type Place,
  type ProjectedEvent,
  textIn,
  textsIn,
} from './projected.ts';

type Procedure = Omit<Row<'procedures'>, '_id' | '_creationTime'>;

export async function projectProcedure(ctx: Writing, event: ProjectedEvent): Promise<void> {
  if (event.type === 'procedure.drafted') await change(ctx, event, draftIdOf(event), applyDraft);
  if (event.type === 'procedure.moved') await change(ctx, event, textIn(event.data, 'procedure', 120), applyMove);
}

/** Undoes a move, or a whole procedure; an older draft of it is not searched. */
export async function undoProcedure(ctx: Writing, event: ProjectedEvent, at: Place): Promise<void> {
  if (event.type === 'procedure.drafted')
    await change(ctx, event, draftIdOf(event), (known) => {
      return isSamePlace(event.place, known.drafted) ? { ...known, status: 'undone', moved: at } : known;
    });
  if (event.type === 'procedure.moved')
    await change(ctx, event, textIn(event.data, 'procedure', 120), (known) => {
      const status = statusIn(textIn(event.data, 'from')) ?? 'undone';
      return isSamePlace(event.place, known.moved) ? { ...known, status, reason: null, numbers: null } : known;
    });
}

type Change = (known: Procedure, event: ProjectedEvent) => Procedure;

async function change(ctx: Writing, event: ProjectedEvent, procedure: string | null, by: Change): Promise<void> {
  if (procedure === null) return;
  const row = await ctx.db
    .query('procedures')
    .withIndex('by_procedure', (index) => index.eq('ledger', event.ledger).eq('procedure', procedure))
    .unique();
  if (row === null) {
    await ctx.db.insert('procedures', by(unknownProcedure(procedure, event), event));
    return;
  }
  const { _id, _creationTime, ...known } = row;
  await ctx.db.replace(_id, by(known, event));
}

function applyDraft(known: Procedure, { data, place, at }: ProjectedEvent): Procedure {
  const made = objectAt(data, 'procedure');
  if (!isAfter(place, known.drafted)) return known;
  return {
    ...known,
    at,
    drafted: place,
    version: numberIn(made, 'version') ?? 1,
    title: textIn(made, 'title', 200),
    trigger: textsIn(made, 'trigger'),
    steps: textsIn(made, 'steps'),
  };
}

function applyMove(known: Procedure, { data, place, at }: ProjectedEvent): Procedure {
  if (!isAfter(place, known.moved)) return known;
  const numbers = objectAt(data, 'numbers');
  return {
    ...known,
    at,
    moved: place,
    status: statusIn(textIn(data, 'to')) ?? known.status,
    reason: textIn(data, 'reason', 2000),
    numbers: numbers === null ? null : JSON.stringify(numbers),
  };
}

function draftIdOf({ data }: ProjectedEvent): string | null {
  return textIn(objectAt(data, 'procedure'), 'id', 120);
}

function statusIn(text: string | null): Procedure['status'] | null {
  return text === 'candidate' || text === 'promoted' || text === 'demoted' || text === 'retired' ? text : null;
}

function unknownProcedure(procedure: string, { ledger, at }: ProjectedEvent): Procedure {
  return {
    ledger,
    procedure,
    version: 1,
    title: null,
    trigger: [],
    steps: [],
    status: 'candidate',
    reason: null,
    numbers: null,
    at,
    drafted: null,
    moved: null,
  };
}
