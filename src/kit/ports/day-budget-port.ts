/** The budget of the day, as the chain and reports use it. */
import type { DayLeft, DaySpend } from '../../core/guard/day-spending.ts';
import type { DayBudget as Limits } from '../../core/schema/day-budget.ts';
import type { ReserveDayBudget } from '../../core/chain/middleware/reserve-day-budget.ts';

export type DayBudget = {
  reserve: ReserveDayBudget;
  /** The limits, and what was spent and is left today. */
  now: () => { limits: Limits; spent: DaySpend; left: DayLeft };
  /** Lets waiting calls go on for which there is room, and records that most of the budget is spent. */
  poll: () => Promise<void>;
};
