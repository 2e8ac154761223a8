import { describe, expect, it } from 'vitest';
import { modelPlanner } from '../../../src/rooms/task/model-planner.ts';
import type { PlannerInput } from '../../../src/core/schema/ports.ts';
import type { Outcome } from '../../../src/core/schema/tool.ts';

const input: PlannerInput = {
  run: 'r',
  node: 'work',
  turn: 0,
  goal: 'Work',
  state: 'intake',
  next: [],
  evidence: [],
  tools: [],
  budgets: {},
  problem: null,
};

const decide = (outcome: Outcome): unknown =>
  modelPlanner(async () => undefined, 1000).decide(input, async () => outcome);

describe('the planner of a worker', () => {
  it.each<[string, Outcome, object]>([
    [
      'will never answer is no refusal of the worker',
      { status: 'failed', error: 'answered 401', temporary: false },
      { failed: 'answered 401' },
    ],
    [
      'cannot be paid for is none either',
      { status: 'denied', error: 'the budget is spent' },
      { failed: 'the budget is spent' },
    ],
    [
      'is down is asked again later',
      { status: 'failed', error: 'is down', temporary: true },
      { later: 1000, reason: 'the model is down' },
    ],
  ])('a model that %s', async (_, outcome, expected) => {
    expect(await decide(outcome)).toEqual(expected);
  });
});
