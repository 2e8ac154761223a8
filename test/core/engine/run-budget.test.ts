import { describe, expect, it } from 'vitest';
import { budgetLeft, nothingPending, addUsage } from '../../../src/core/engine/run-budget.ts';
import { graphOf } from '../../support/engine-fakes.ts';
import { endedEvent, startedEvent, stateAfter } from '../../support/engine-state.ts';

const graph = graphOf([{ kind: 'tool', id: 'a', tool: 'look' }]);
const spent = [
  startedEvent('a'),
  endedEvent('a', 'failed', {
    error: 'no',
    retried: true,
    usage: { tokens_in: 10, tokens_out: 5, usd: 1, output_bytes: 7 },
  }),
];

describe('budgetLeft', () => {
  it('takes off what was spent and what is reserved for calls under way', () => {
    const budgets = { tokens: 100, usd: 5, tool_calls: 9, retries: 3, output_bytes: 50, seconds: 60 };
    const reserved = addUsage(nothingPending, { tokens_in: 20, tokens_out: 1, usd: 2, output_bytes: 3 }, 1);
    expect(budgetLeft(stateAfter(graph, spent, { budgets }), reserved, 30_000)).toEqual({
      tokens: 64,
      usd: 2,
      tool_calls: 8,
      retries: 2,
      output_bytes: 40,
      seconds: 30,
    });
  });

  it('a retry is a call, too: there are no more retries than calls', () => {
    expect(budgetLeft(stateAfter(graph, spent, { budgets: { tool_calls: 1 } }), nothingPending, 0).retries).toBe(0);
  });

  it('what has no limit is endless', () => {
    expect(new Set(Object.values(budgetLeft(stateAfter(graph, spent), nothingPending, 1e9)))).toEqual(
      new Set([Number.POSITIVE_INFINITY]),
    );
  });

  it('what was reserved is given back', () => {
    const usage = { tokens_in: 20, usd: 2 };
    expect(addUsage(addUsage(nothingPending, usage, 1), usage, -1)).toEqual(nothingPending);
    expect(addUsage(nothingPending, {}, 1)).toEqual(nothingPending);
  });
});
