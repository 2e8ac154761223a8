/**
 * Owns: what new events change in the tables behind the live view.
 *
 * P1 Each event is projected once, in the mutation that stores it.
 * P2 A change of the maintenance ledger that was undone changes nothing, whichever of the two arrives first.
 */
import type { Writing } from '../typed.ts';
import { projectArtifacts } from './artifacts.ts';
import { projectFact, undoFact } from './facts.ts';
import { projectProcedure, undoProcedure } from './procedures.ts';
import { eventAt } from './read.ts';
import { projectRuns } from './runs.ts';
import { numberIn, type ProjectedEvent } from './projected.ts';

export async function project(ctx: Writing, events: readonly ProjectedEvent[]): Promise<void> {
  await projectRuns(ctx, events);
  await projectArtifacts(ctx, events);
  const undone = await undoneAmong(ctx, events);
  for (const event of events) {
    if (event.data === null) continue;
    if (event.type === 'change.undone') await undo(ctx, event, undone);
    if (event.pen === 'maintenance' && undone.has(event.seq)) continue;
    await projectFact(ctx, event);
    await projectProcedure(ctx, event);
  }
}

async function undo(ctx: Writing, event: ProjectedEvent, undone: Set<number>): Promise<void> {
  const { ledger, data, place } = event;
  const change = numberIn(data, 'change');
  if (change === null || undone.has(change)) return;
  undone.add(change);
  await ctx.db.insert('undone', { ledger, change, place });
  const changed = await eventAt(ctx, ledger, 'maintenance', change);
  if (changed === null) return;
  await undoFact(ctx, changed, place);
  await undoProcedure(ctx, changed, place);
}

/** Changes in this batch, or named in it, that were undone before. */
async function undoneAmong(ctx: Writing, events: readonly ProjectedEvent[]): Promise<Set<number>> {
  const first = events[0];
  if (first === undefined) return new Set();
  const seqs = [
    ...(first.pen === 'maintenance' ? events.map(({ seq }) => seq) : []),
    ...events.flatMap(({ type, data }) => (type === 'change.undone' ? (numberIn(data, 'change') ?? []) : [])),
  ];
  if (seqs.length === 0) return new Set();
  const rows = ctx.db.query('undone').withIndex('by_change', (index) => {
    return index
      .eq('ledger', first.ledger)
      .gte('change', Math.min(...seqs))
      .lte('change', Math.max(...seqs));
  });
  const undone = new Set<number>();
  for await (const { change } of rows) undone.add(change);
  return undone;
}
