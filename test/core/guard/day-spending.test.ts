import { describe, expect, it } from 'vitest';
import {
  daySpending,
  type DaySpendingState,
  endOfDay,
  lackFor,
  leftToday,
  newlyLow,
  spentToday,
  startOfDay,
} from '../../../src/core/guard/day-spending.ts';
import type { Event } from '../../../src/core/schema/event.ts';

const NOON = new Date(2026, 5, 10, 12).getTime();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

type Given = [at: number, type: Event['type'], data: object];

function fold(...given: Given[]): DaySpendingState {
  return given.reduce(
    (state, [at, type, data]) =>
      daySpending.apply(state, { type, at: new Date(at).toISOString(), run: 'r', data } as unknown as Event),
    daySpending.initial(),
  );
}

const reserved = (at: number, call: string, usd = 1, tokens = 100): Given => [
  at,
  'budget.reserved',
  { call, usd, tokens },
];
const ended = (at: number, call: string, more: object = {}): Given => [
  at,
  'call.ended',
  { call, node: null, status: 'ok', ...more },
];
const paid = { usage: { usd: 0.2, tokens_in: 10, tokens_out: 5 } };

describe('what a day has cost', () => {
  it('B1 is what is reserved, then what the call did cost', () => {
    expect(spentToday(fold(reserved(NOON, 'a')), NOON)).toEqual({ usd: 1, tokens: 100, calls: 1 });
    expect(spentToday(fold(reserved(NOON, 'a'), ended(NOON + 1, 'a', paid)), NOON)).toEqual({
      usd: 0.2,
      tokens: 15,
      calls: 1,
    });
  });

  it.each([
    ['was cut off by a kill', { status: 'cancelled' }, { usd: 1, tokens: 100, calls: 1 }],
    ['ended without a word about its cost', {}, { usd: 1, tokens: 100, calls: 1 }],
    ['failed without a cost', { status: 'failed', error: 'x' }, { usd: 0, tokens: 0, calls: 1 }],
    ['never began', { status: 'cancelled', begun: false }, { usd: 0, tokens: 0, calls: 0 }],
    ['was denied', { status: 'denied' }, { usd: 0, tokens: 0, calls: 0 }],
  ])('B1 counts a call that %s', (_, end, expected) => {
    expect(spentToday(fold(reserved(NOON, 'a'), ended(NOON + 1, 'a', end)), NOON)).toEqual(expected);
  });

  it('includes calls that were made without a limit, and counts a run inside once', () => {
    const inside = { usage: { ...paid.usage, tool_calls: 2 } };
    expect(spentToday(fold(ended(NOON, 'a', paid), ended(NOON, 'b', inside)), NOON)).toEqual({
      usd: 0.2,
      tokens: 15,
      calls: 1,
    });
  });

  it('B2 is another figure after midnight, and a call that ends then counts on the day before', () => {
    const before = endOfDay(NOON) - 60_000;
    const state = fold(reserved(before, 'a'), ended(before + 120_000, 'a', paid));
    expect(spentToday(state, before).usd).toBe(0.2);
    expect(spentToday(state, before + 120_000)).toEqual({ usd: 0, tokens: 0, calls: 0 });
  });

  it.each([HOUR, DAY, 1.5 * DAY])('B3 does not get smaller when the clock is set back by %d ms', (back) => {
    const state = fold(ended(NOON, 'a', paid), ended(NOON - back, 'b', paid));
    expect(spentToday(state, NOON - back).usd).toBeCloseTo(0.4);
    expect(spentToday(state, startOfDay(NOON)).usd, 'when the same day comes once more').toBeGreaterThanOrEqual(0.2);
  });

  it('B3 is not wrong for ever after a clock that was a year ahead', () => {
    const state = fold(ended(NOON + 365 * DAY, 'a', paid), ended(NOON, 'b', paid));
    expect(spentToday(state, NOON).usd).toBeCloseTo(0.4);
    expect(spentToday(state, NOON + DAY).usd).toBe(0);
  });

  it('takes the same space after a year', () => {
    const days = Array.from({ length: 365 }, (_, day) => [
      reserved(NOON + day * DAY, `lost${day}`),
      ended(NOON + day * DAY, `a${day}`, paid),
    ]);
    const state = fold(...days.flat());
    expect(Object.keys(state.spent).length + Object.keys(state.reserved).length).toBeLessThan(10);
  });

  it('knows the limits of the active policy', () => {
    const loaded = (data: object): Given => [NOON, 'policy.loaded', { sha256: 'a', rules: 0, ...data }];
    expect(fold(loaded({ day_budget: { usd: 5 } })).limits).toEqual({ usd: 5 });
    expect(fold(loaded({ day_budget: { usd: 5 } }), loaded({})).limits).toEqual({});
  });
});

describe('a budget that is nearly used up', () => {
  const limits = { usd: 0.5, tokens: 18 };

  it('is reported once a day for each limit, and again when the limit was raised and is nearly reached', () => {
    const state = fold(ended(NOON, 'a', paid));
    expect(newlyLow(state, { usd: 1 }, NOON)).toBeNull();
    const low = newlyLow(state, limits, NOON);
    expect(low).toEqual({ date: '2026-06-10', of: 'tokens', limit: 18, spent: 15 });
    const reported = fold(ended(NOON, 'a', paid), [NOON, 'budget.low', low ?? {}]);
    expect(newlyLow(reported, limits, NOON)).toBeNull();
    expect(newlyLow(reported, { tokens: 16 }, NOON)).toMatchObject({ limit: 16 });
    expect(newlyLow(reported, limits, NOON + DAY), 'nothing is spent yet').toBeNull();
  });

  it('does not count what is only reserved', () => {
    expect(newlyLow(fold(reserved(NOON, 'a', 1, 100)), limits, NOON)).toBeNull();
  });
});

describe('what is left of a day', () => {
  const spent = { usd: 4, tokens: 900, calls: 9 };

  it('is null without a limit and never less than nothing', () => {
    expect(leftToday({}, spent)).toEqual({ usd: null, tokens: null, calls: null });
    expect(leftToday({ usd: 3, tokens: 1000, calls: 10 }, spent)).toEqual({ usd: 0, tokens: 100, calls: 1 });
  });

  it.each([
    [{ usd: 5 }, { usd: 1, tokens: 0 }, null],
    [{ usd: 5 }, { usd: 1.01, tokens: 0 }, 'usd'],
    [{ tokens: 1000 }, { usd: 0, tokens: 101 }, 'tokens'],
    [{ calls: 9 }, { usd: 0, tokens: 0 }, 'calls'],
    [{ calls: 10 }, { usd: 99, tokens: 99 }, null],
  ])('of %j is too little for %j by %s', (limits, need, lack) => {
    expect(lackFor(leftToday(limits, spent), need)).toBe(lack);
  });
});
