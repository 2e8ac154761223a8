import { describe, expect, it } from 'vitest';
import { budget, findExhausted } from '../../../../src/core/chain/middleware/check-budget.ts';
import { callOf, everythingLeft, ok, through, toolNamed } from '../../../support/engine-fakes.ts';

const costly = toolNamed('look', () => ok(), {
  estimate: () => ({ tokens_in: 6, tokens_out: 4, usd: 1, output_bytes: 100 }),
});
const left = everythingLeft;

describe('budget', () => {
  it.each([
    [{}, null],
    [{ tool_calls: 0, tokens: 10, usd: 1, output_bytes: 100, seconds: 0.1 }, null],
    [{ tool_calls: -1 }, 'tool_calls'],
    [{ seconds: 0 }, 'seconds'],
    [{ tokens: 9 }, 'tokens'],
    [{ usd: 0.5 }, 'usd'],
    [{ output_bytes: 99 }, 'output_bytes'],
  ])('with %j left, what is spent is %j', (change, spent) => {
    expect(findExhausted({ ...left, ...change }, null, costly)).toBe(spent);
  });

  it('without an estimate a call is made until something is overdrawn', () => {
    expect(findExhausted({ ...left, tokens: 0, usd: 0, output_bytes: 0 }, null, undefined)).toBeNull();
    expect(findExhausted({ ...left, tokens: -1 }, null, undefined)).toBe('tokens');
  });

  it('what cannot be paid for is denied and not made', async () => {
    const pass = through(budget(new Map([['look', costly]])));
    expect(
      await pass(callOf({ left: () => ({ ...left, usd: 0 }) }), () => Promise.reject(new Error('too far'))),
    ).toEqual({
      status: 'denied',
      error: 'the budget of this run is spent: usd',
    });
    expect(await pass(callOf(), async () => ok(1))).toEqual(ok(1));
  });
});
