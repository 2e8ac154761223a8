/** Values that all members of a fleet read and change. */
import { z } from 'zod';
import { MemberName } from './fleet.ts';
import { Id, Instant } from './names.ts';

const SlotEntry = z.strictObject({
  slot: Instant,
  run: Id.describe('The run of this time; it has the same name at every home.'),
  home: MemberName,
  epoch: z.int().positive().describe('Counts the claims of this time.'),
  state: z.enum(['claimed', 'started', 'over']).describe('`over`: its run has ended, or there will be none.'),
});
export type SlotEntry = z.infer<typeof SlotEntry>;

export const SlotBook = z.strictObject({
  anchor: Instant.nullable().describe(
    'From where intervals are counted; the first home that has the schedule says it.',
  ),
  settled: Instant.nullable().describe('Up to here times are settled, and no longer listed (K3).'),
  slots: z.array(SlotEntry).max(1000),
});
export type SlotBook = z.infer<typeof SlotBook>;
