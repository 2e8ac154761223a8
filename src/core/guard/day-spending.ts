/**
 * Owns: the projection of what calls of models have cost lately, and how much of the day's budget is left.
 * Does not own: when a call may be made (rooms/approvals/open-day-budget.ts).
 *
 * B1 Only durable events count, so a restart resets nothing. A call counts as its reservation until it has ended, and for
 *    good if nobody knows what it cost: its process was killed, it was stopped, or its server reported no usage.
 * B2 A call counts on the day on which it was reserved, so a day never costs more than its budget.
 * B3 A clock that is set back gives no money again: what was spent at a time that is still to come counts today, too. What
 *    lies more than two days ahead was spent by a wrong clock, and counts once, on the day of the next call.
 * B4 The state is the same in every time zone: it has quarters of an hour, and whoever reads it says when the day began.
 */
import type { DayBudget, DayBudgetLow, DayNeed } from '../schema/day-budget.ts';
import type { Usage } from '../schema/effect.ts';
import type { Event } from '../schema/event.ts';
import { hasFields } from '../schema/json-field.ts';
import type { Projection } from '../schema/ports.ts';

export type DaySpend = { usd: number; tokens: number; calls: number };

export type DaySpendingState = {
  /** The limits of the active policy. */
  limits: DayBudget;
  /** What was spent, by the quarter of an hour. */
  spent: Record<string, DaySpend>;
  /** Calls that have not ended. */
  reserved: Record<string, DayNeed & { quarter: number }>;
  /** When a limit was last reported to be nearly reached: a date and the limit. */
  low: { date: string; of: keyof DaySpend; limit: number } | null;
  /** Events of a run that was taken over from another member of a fleet, which has counted them: up to which number. */
  copies: { run: string; last: number } | null;
};

/** The part of it that the homes of a fleet tell each other. */
export type HomeSpending = Pick<DaySpendingState, 'spent' | 'reserved'>;

const QUARTER_MS = 15 * 60_000;
/** Two days: every day of a zone whose date is a day behind or ahead is still in the state. */
const WINDOW = 2 * 96;

export const daySpending: Projection<DaySpendingState> = {
  name: 'day_spending',
  version: 3,
  types: ['run.claimed', 'policy.loaded', 'budget.reserved', 'budget.low', 'call.ended'],
  initial: () => ({ limits: {}, spent: {}, reserved: {}, low: null, copies: null }),
  apply: (state, event) => {
    if (isCopy(state, event)) return state;
    if (event.type === 'run.claimed' && event.data.from !== undefined && event.run !== null)
      state.copies = { run: event.run, last: event.seq + event.data.from.copied };
    if (event.type === 'policy.loaded') state.limits = event.data.day_budget ?? {};
    else if (event.type === 'budget.reserved') reserveCall(state, event);
    else if (event.type === 'call.ended') endCall(state, event);
    else if (event.type === 'budget.low')
      state.low = { date: event.data.date, of: event.data.of, limit: event.data.limit };
    return state;
  },
};

function isCopy({ copies }: DaySpendingState, { seq, run }: Event): boolean {
  if (copies === null || seq > copies.last || run === null) return false;
  return run === copies.run || run.startsWith(`${copies.run}.`);
}

/** What several homes have spent together. Calls of two homes may have the same name: runs are named by each home. */
export function sumSpending(homes: readonly HomeSpending[]): HomeSpending {
  const sum: HomeSpending = { spent: {}, reserved: {} };
  for (const [index, { spent, reserved }] of homes.entries()) {
    for (const [quarter, spend] of Object.entries(spent)) addAt(sum, Number(quarter), spend);
    for (const [call, each] of Object.entries(reserved)) sum.reserved[`${index} ${call}`] = each;
  }
  return sum;
}

/** What may still count for somebody's day. */
export function recentSpending({ spent, reserved }: HomeSpending, now: number): HomeSpending {
  const first = Math.floor(now / QUARTER_MS) - DAY_AND_MORE;
  return {
    spent: Object.fromEntries(Object.entries(spent).filter(([quarter]) => Number(quarter) >= first)),
    reserved: Object.fromEntries(Object.entries(reserved).filter(([, { quarter }]) => quarter >= first)),
  };
}

/** A day of 25 hours, and an hour by which clocks may differ. */
const DAY_AND_MORE = 26 * 4;

/** What counts for the local day of this moment. */
export function spentToday(state: HomeSpending, now: number): DaySpend {
  const first = Math.floor(startOfDay(now) / QUARTER_MS);
  const total = settledToday(state, now);
  for (const { quarter, usd, tokens } of Object.values(state.reserved))
    if (quarter >= first) add(total, { usd, tokens, calls: 1 });
  return total;
}

/** The same without calls that have not ended. */
function settledToday({ spent }: HomeSpending, now: number): DaySpend {
  const first = Math.floor(startOfDay(now) / QUARTER_MS);
  const total = { usd: 0, tokens: 0, calls: 0 };
  for (const [quarter, spend] of Object.entries(spent)) if (Number(quarter) >= first) add(total, spend);
  return total;
}

const LOW_SHARE = 0.8;

/** The limit that is nearly reached and was not reported yet today, the first of several; null when there is none. */
export function newlyLow(
  state: HomeSpending & Pick<DaySpendingState, 'low'>,
  limits: DayBudget,
  now: number,
): DayBudgetLow | null {
  const spent = settledToday(state, now);
  const date = localDate(now);
  for (const name of ['usd', 'tokens', 'calls'] as const) {
    const limit = limits[name];
    if (limit === undefined || limit === 0 || spent[name] < LOW_SHARE * limit) continue;
    const isReported = state.low?.date === date && state.low.of === name && state.low.limit === limit;
    return isReported ? null : { date, of: name, limit, spent: spent[name] };
  }
  return null;
}

const localDate = (now: number): string => {
  const day = new Date(now);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
};

export type DayLeft = { [Name in keyof DaySpend]: number | null };

/** What is left of each limit, at least nothing; null where there is no limit. */
export function leftToday(limits: DayBudget, spent: DaySpend): DayLeft {
  const left = (name: keyof DaySpend): number | null => {
    const limit = limits[name];
    return limit === undefined ? null : Math.max(0, limit - spent[name]);
  };
  return { usd: left('usd'), tokens: left('tokens'), calls: left('calls') };
}

/** The first limit that a call would exceed; null when it fits. */
export function lackFor(left: DayLeft, need: DayNeed): keyof DaySpend | null {
  if (left.calls !== null && left.calls < 1) return 'calls';
  if (left.usd !== null && left.usd < need.usd) return 'usd';
  return left.tokens !== null && left.tokens < need.tokens ? 'tokens' : null;
}

export const hasDayLimit = (limits: DayBudget): boolean => Object.values(limits).some((limit) => limit !== undefined);

export const startOfDay = (now: number): number => new Date(now).setHours(0, 0, 0, 0);
export const endOfDay = (now: number): number => new Date(now).setHours(24, 0, 0, 0);

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

function reserveCall(state: DaySpendingState, { at, data: { call, usd, tokens } }: Of<'budget.reserved'>): void {
  const quarter = advance(state, at);
  state.reserved[call] = { usd, tokens, quarter };
}

function endCall(state: DaySpendingState, event: Of<'call.ended'>): void {
  const { call, usage } = event.data;
  const reserved = hasFields(state.reserved) ? state.reserved[call] : undefined;
  if (reserved === undefined) {
    if (isOwnCost(usage)) addAt(state, advance(state, event.at), spendOf(usage));
    return;
  }
  delete state.reserved[call];
  const spend = costOfCall(event.data, reserved);
  if (spend !== null) addAt(state, reserved.quarter, spend);
}

/** Null when no request was made. */
function costOfCall({ status, begun, usage }: Of<'call.ended'>['data'], { usd, tokens }: DayNeed): DaySpend | null {
  if (isOwnCost(usage)) return spendOf(usage);
  if (status === 'waiting' || status === 'denied' || begun === false) return null;
  return status === 'failed' ? { usd: 0, tokens: 0, calls: 1 } : { usd, tokens, calls: 1 };
}

/** A call that waited for an inner run repeats what that run has spent. */
function isOwnCost(usage: Usage | undefined): usage is Usage {
  if (usage === undefined || usage.tool_calls !== undefined) return false;
  return (usage.tokens_in ?? 0) + (usage.tokens_out ?? 0) + (usage.usd ?? 0) > 0;
}

const spendOf = ({ usd = 0, tokens_in = 0, tokens_out = 0 }: Usage): DaySpend => ({
  usd,
  tokens: tokens_in + tokens_out,
  calls: 1,
});

/** The quarter of an event; forgets what is older than the window, and corrects what is further ahead than that (B3). */
function advance(state: DaySpendingState, at: string): number {
  const quarter = Math.floor(Date.parse(at) / QUARTER_MS);
  for (const [key, spend] of Object.entries(state.spent)) {
    const ahead = Number(key) - quarter;
    if (Math.abs(ahead) <= WINDOW) continue;
    delete state.spent[key];
    if (ahead > 0) addAt(state, quarter, spend);
  }
  for (const [call, reserved] of Object.entries(state.reserved)) {
    if (reserved.quarter < quarter - WINDOW) delete state.reserved[call];
    else reserved.quarter = reserved.quarter > quarter + WINDOW ? quarter : reserved.quarter;
  }
  return quarter;
}

function addAt(state: HomeSpending, quarter: number, spend: DaySpend): void {
  const total = (state.spent[quarter] ??= { usd: 0, tokens: 0, calls: 0 });
  add(total, spend);
}

function add(to: DaySpend, more: DaySpend): void {
  to.usd += more.usd;
  to.tokens += more.tokens;
  to.calls += more.calls;
}
