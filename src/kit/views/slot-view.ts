/** Owns: the fold of scheduled times that came, and the outcome of each. */
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import type { Slot } from '../../core/schema/view-answers.ts';
import { seqKey } from './run-rows.ts';

const prefix = 'slot/';

/** The slots of a job are recorded by one pen; each pen has its own number. */
export const slotView: View = {
  name: 'slot',
  version: 1,
  types: ['slot.came'],
  take: ({ event }, rows) => {
    if (event.type !== 'slot.came') return;
    rows.put(`${prefix}${event.data.slot}/${event.pen}/${seqKey(event.seq)}`, {
      at: event.at,
      ...event.data,
    } satisfies Slot);
  },
};

/** The last slots, the latest last; limit 0 for all. */
export function slots(rows: Rows, { limit }: { limit: number }): Slot[] {
  return [...slotsFromEnd(rows, limit)].toReversed();
}

/** The last slots, the latest first; limit 0 for all. */
export function* slotsFromEnd(rows: Rows, limit: number): Generator<Slot> {
  for (const [, slot] of rows.each<Slot>(prefix, { reverse: true, ...(limit === 0 ? {} : { limit }) })) yield slot;
}
