/**
 * Owns: which facts are current. Facts are recorded and forgotten in both ledgers, whose events arrive in any order between
 * them: a row knows where on the common time line each thing last happened to it, and the later one counts.
 *
 * F1 The row of a forgotten fact has no text.
 * F2 Where events cannot be read, a fact is missing, or stays although it was forgotten.
 */
import type { Row, Writing } from '../typed.ts';
import { eventAt } from './read.ts';
import { isAfter, isSamePlace, numberIn, type Place, type ProjectedEvent, textIn, textsIn } from './projected.ts';

type Fact = Omit<Row<'facts'>, '_id' | '_creationTime'>;
type Change = (known: Fact) => Fact | Promise<Fact>;

export async function projectFact(ctx: Writing, event: ProjectedEvent): Promise<void> {
  const { data, place } = event;
  const [id, fact] = [textIn(data, 'id', 120), textIn(data, 'fact', 120)];
  if (event.type === 'fact.kept' && id !== null) {
    await change(ctx, event, id, (known) => (isAfter(place, known.kept) ? recordFact(known, event) : known));
    for (const older of textsIn(data, 'supersedes'))
      if (older !== id) await change(ctx, event, older, (known) => supersedeFact(known, id, place));
  }
  if (event.type === 'fact.forgotten')
    for (const each of textsIn(data, 'facts')) await change(ctx, event, each, (known) => forgetFact(known, place));
  if (event.type === 'fact.reworded' && fact !== null)
    await change(ctx, event, fact, (known) => rewordFact(known, textIn(data, 'text', 4000), place));
}

export function factsNamedIn({ type, data }: ProjectedEvent): string[] {
  if (type === 'fact.forgotten') return textsIn(data, 'facts');
  return type === 'fact.kept' ? ['itself', ...textsIn(data, 'supersedes')] : [];
}

/** Undoes what an event did, as far as nothing later has replaced it. */
export async function undoFact(ctx: Writing, event: ProjectedEvent, at: Place): Promise<void> {
  const { data, place } = event;
  const [id, fact] = [textIn(data, 'id', 120), textIn(data, 'fact', 120)];
  if (event.type === 'fact.kept' && id !== null) {
    await change(ctx, event, id, (known) => (isSamePlace(place, known.kept) ? forgetFact(known, at) : known));
    for (const older of textsIn(data, 'supersedes'))
      if (older !== id)
        await change(ctx, event, older, (known) => {
          return isSamePlace(place, known.superseded) ? { ...known, superseded: null, superseded_by: null } : known;
        });
  }
  if (event.type === 'fact.forgotten')
    for (const each of textsIn(data, 'facts'))
      await change(ctx, event, each, (known) => (isSamePlace(place, known.gone) ? readText(ctx, known) : known));
  if (event.type === 'fact.reworded' && fact !== null)
    await change(ctx, event, fact, (known) => {
      return isSamePlace(place, known.reworded) ? { ...known, wording: null, reworded: null } : known;
    });
}

async function change(ctx: Writing, about: ProjectedEvent, fact: string, by: Change): Promise<void> {
  const row = await ctx.db
    .query('facts')
    .withIndex('by_fact', (index) => index.eq('ledger', about.ledger).eq('fact', fact))
    .unique();
  if (row === null) {
    await ctx.db.insert('facts', withStatus(await by(unknownFact(fact, about))));
    return;
  }
  const { _id, _creationTime, ...known } = row;
  const after = await by(known);
  if (after !== known) await ctx.db.replace(_id, withStatus(after));
}

function withStatus(fact: Fact): Fact {
  if (fact.kept === null || isAfter(fact.gone ?? NEVER, fact.kept))
    return { ...fact, held: false, text: null, wording: fact.kept === null ? fact.wording : null };
  return { ...fact, held: fact.text !== null && isAfter(fact.kept, fact.superseded) };
}

const NEVER: Place = { run: -1, own: -1 };

function recordFact(known: Fact, { ledger, pen, seq, at, data, place }: ProjectedEvent): Fact {
  const isWorded = isAfter(known.reworded ?? NEVER, place);
  return {
    ...known,
    ledger,
    pen,
    seq,
    at,
    kept: place,
    ...(isWorded ? {} : { wording: null, reworded: null }),
    namespace: textIn(data, 'namespace', 120) ?? 'general',
    text: textIn(data, 'text', 4000),
    importance: numberIn(data, 'importance') ?? 0.5,
    confidence: numberIn(data, 'confidence') ?? 0.5,
    source: textIn(data, 'source', 120) ?? 'import',
    expires: textIn(data, 'expires', 40),
  };
}

function forgetFact(known: Fact, place: Place): Fact {
  return isAfter(place, known.gone) ? { ...known, gone: place } : known;
}

/** Its text is read from the event that recorded it. */
async function readText(ctx: Writing, known: Fact): Promise<Fact> {
  const event = known.kept === null ? null : await eventAt(ctx, known.ledger, known.pen, known.seq);
  return { ...known, gone: null, text: textIn(event?.data ?? null, 'text', 4000) };
}

function supersedeFact(known: Fact, by: string, place: Place): Fact {
  return isAfter(place, known.superseded) ? { ...known, superseded_by: by, superseded: place } : known;
}

function rewordFact(known: Fact, wording: string | null, place: Place): Fact {
  return isAfter(place, known.reworded) ? { ...known, wording, reworded: place } : known;
}

function unknownFact(fact: string, { ledger, pen, seq, at }: ProjectedEvent): Fact {
  return {
    ledger,
    pen,
    seq,
    at,
    fact,
    held: false,
    namespace: 'general',
    text: null,
    wording: null,
    importance: 0,
    confidence: 0,
    source: 'import',
    expires: null,
    superseded_by: null,
    kept: null,
    gone: null,
    superseded: null,
    reworded: null,
  };
}
