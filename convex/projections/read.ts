import type { Reading } from '../typed.ts';
import type { Pen } from '../wire.ts';
import { type ProjectedEvent, toProjectedEvent } from './projected.ts';

export async function eventAt(ctx: Reading, ledger: string, pen: Pen, seq: number): Promise<ProjectedEvent | null> {
  const row = await ctx.db
    .query('events')
    .withIndex('by_seq', (index) => index.eq('ledger', ledger).eq('pen', pen).eq('seq', seq))
    .unique();
  return row === null ? null : toProjectedEvent({ ledger, pen }, row);
}
