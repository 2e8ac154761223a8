/**
 * Owns: taking a batch into the copy.
 *
 * A1 An event is stored once, with its place in every projection, in one transaction: whoever is in doubt sends again.
 * A2 What is stored is never changed, and nothing of a batch is stored that does not continue it.
 * A3 `next` is the seq to go on from. It is before the end of a batch that is too much for one call.
 */
import { forkIn, type Link, findRefusal, findGap } from './chain.ts';
import { takeFitting } from './fitting.ts';
import { project } from './projections/project.ts';
import { type ProjectedEvent, toProjectedEvent } from './projections/projected.ts';
import { headOf, type Of, storedEvents, wireOf } from './stored.ts';
import type { Row, Writing } from './typed.ts';
import { type Appended, NOTHING, tooLarge, type WireEvent } from './wire.ts';

export async function appendTo(ctx: Writing, of: Of, events: readonly WireEvent[]): Promise<Appended> {
  const row = await headOf(ctx, of);
  const head = row ?? NOTHING;
  const refused = findRefusal(head, events) ?? events.map(tooLarge).find((each) => each !== null) ?? null;
  if (refused !== null) return refused;
  const stopped = (await answerRepeat(ctx, of, head, events)) ?? findGap(head, events);
  if (stopped !== null) return stopped;

  const fresh = events.filter(({ seq }) => seq > head.seq);
  const taken = takeFitting(fresh.map((event) => toProjectedEvent(of, event)));
  for (const event of taken) await ctx.db.insert('events', { ...of, ...wireOf(event) });
  await project(ctx, taken);
  return moveHead(ctx, of, row, taken.at(-1));
}

/** Compares what is known already with what is stored; null when all of it is the same. */
async function answerRepeat(ctx: Writing, of: Of, head: Link, events: readonly WireEvent[]): Promise<Appended | null> {
  const known = events.filter(({ seq }) => seq <= head.seq);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return null;
  const stored = await storedEvents(ctx, of, first.seq, last.seq);
  const compared = stored.at(-1)?.seq ?? last.seq;
  return forkIn(stored, known) ?? (compared < last.seq ? { kind: 'ok', next: compared + 1 } : null);
}

async function moveHead(
  ctx: Writing,
  of: Of,
  row: Row<'heads'> | null,
  last: ProjectedEvent | undefined,
): Promise<Appended> {
  if (last === undefined) return { kind: 'ok', next: (row ?? NOTHING).seq + 1 };
  const head = { ...of, seq: last.seq, hash: last.hash, at: last.at };
  if (row === null) await ctx.db.insert('heads', head);
  else await ctx.db.replace(row._id, head);
  return { kind: 'ok', next: last.seq + 1 };
}
