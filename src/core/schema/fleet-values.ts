/** Values that all members of a fleet read and change. */
import { z } from 'zod';
import { MemberName } from './fleet.ts';
import { CallId, Id, Instant } from './names.ts';

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

const amount = z.number().nonnegative();
const quarter = z.string().regex(/^\d{1,10}$/);

const HomeSpending = z
  .strictObject({
    spent: z
      .record(quarter, z.strictObject({ usd: amount, tokens: amount, calls: amount }))
      .describe('By the quarter of an hour since 1970.'),
    reserved: z
      .record(CallId, z.strictObject({ usd: amount, tokens: amount, quarter: z.int().nonnegative() }))
      .describe('Calls that have not ended, with what they may cost at most.'),
  })
  .describe('What the calls of models of one home cost lately: a copy of what its ledger says.');

export const FleetSpending = z.strictObject({ homes: z.record(MemberName, HomeSpending) });
export type FleetSpending = z.infer<typeof FleetSpending>;

export const FleetRates = z.strictObject({
  limits: z.record(
    z.string().max(300),
    z.strictObject({
      seconds: z.number().positive().describe('The longest time that a home counts under this limit.'),
      taken: z
        .record(z.string().regex(/^[\w-]{1,60}$/), z.int().positive())
        .describe('Calls by who made them. There is no time in it: each home counts from when it first saw them.'),
    }),
  ),
});
export type FleetRates = z.infer<typeof FleetRates>;
