/** The budget of the day as any process can read it: the limits that the worker goes by, what is spent, what is left. */
import { daySpending, type DayLeft, type DaySpend, leftToday, spentToday } from '../../core/guard/day-spending.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import type { DayBudget } from '../../core/schema/day-budget.ts';
import type { Home } from '../../core/schema/home.ts';

export type DayBudgetStatus = { limits: DayBudget; spent: DaySpend; left: DayLeft };

export async function readDayBudget(home: Home, now = Date.now()): Promise<DayBudgetStatus> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, daySpending);
  const spent = spentToday(state, now);
  return { limits: state.limits, spent, left: leftToday(state.limits, spent) };
}

/** Such as "3.2 of 5 USD, 90000 of 100000 tokens"; null without a limit. */
export function describeDayLeft({ limits, left }: DayBudgetStatus): string | null {
  const parts = UNITS.flatMap(([name, unit]) => {
    const limit = limits[name];
    return limit === undefined ? [] : [`${round(left[name] ?? 0)} of ${round(limit)} ${unit}`];
  });
  return parts.length === 0 ? null : parts.join(', ');
}

const UNITS = [
  ['usd', 'USD'],
  ['tokens', 'tokens'],
  ['calls', 'calls of models'],
] as const;

const round = (value: number): number => Number(value.toFixed(4));
