import { describe, expect, it } from 'vitest';
import {
  answerFromChild,
  childIdOf,
  failedChildOf,
  isFailedEnd,
  isInputGiven,
  isInside,
  shareOfBudget,
} from '../../../src/core/engine/child-terms.ts';
import type { RunState } from '../../../src/core/engine/run-state.ts';
import { Id } from '../../../src/core/schema/names.ts';
import { callOf, everythingLeft, graphOf } from '../../support/engine-fakes.ts';
import { endedEvent, startedEvent, stateAfter } from '../../support/engine-state.ts';

const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });
const one = graphOf([tool('a')]);
const call = callOf({ run: 'r', node: 'a' });

const at = (visit: number, turn: number | null = null): RunState => {
  const run = stateAfter(one);
  const agent = turn === null ? null : { state: 'act', turn, evidence: [], todo: null, rejections: 0, problem: null };
  Object.assign(run.nodes[0] ?? {}, { visit, agent });
  return run;
};

describe('the input of a run inside', () => {
  const task = stateAfter({ ...one, id: 'oka.task' });
  const plan = `plan-${'0'.repeat(64)}`;

  it('is of a person where every word that it was filled with is', () => {
    expect(isInputGiven(at(0), { author: 'operator' }, 'other')).toBe(true);
    expect(isInputGiven(at(0), { author: 'model' }, 'other')).toBe(false);
  });

  it('is what the task says in a plan that a task starts, and nowhere else', () => {
    expect(isInputGiven(task, { author: 'model' }, plan)).toBe(true);
    expect(isInputGiven(task, { author: 'model' }, 'other')).toBe(false);
    expect(isInputGiven(at(0), { author: 'model' }, plan)).toBe(false);
  });
});

describe('the name of a run inside', () => {
  it('is the same for the same node, visit and turn, whatever the attempt', () => {
    const again = callOf({ run: 'r', node: 'a', call: 'r.a.0.7', attempt: 7 });
    expect(childIdOf(again, at(0))).toBe(childIdOf(call, at(0)));
    expect(childIdOf(call, at(0))).toMatch(/^r\.a\.0\.0-[0-9a-f]{8}$/);
  });

  it('differs with run, node, visit and turn', () => {
    const names = [
      childIdOf(call, at(0)),
      childIdOf(call, at(1)),
      childIdOf(call, at(0, 1)),
      childIdOf(call, at(0, 2)),
      childIdOf(callOf({ run: 's', node: 'a' }), at(0)),
      childIdOf(callOf({ run: 'r', node: 'b' }), at(0)),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it('can be known without the state of the run around it', () => {
    expect(childIdOf(call, undefined)).toBe(childIdOf(call, at(0)));
  });

  it('stays a name however deep the runs lie, and is told apart even where names had to be cut', () => {
    let [run, other] = ['r'.repeat(120), `${'r'.repeat(119)}s`];
    for (let depth = 0; depth < 5; depth += 1) {
      [run, other] = [
        childIdOf(callOf({ run, node: 'a' }), undefined),
        childIdOf(callOf({ run: other, node: 'a' }), undefined),
      ];
      expect(Id.safeParse(run).success).toBe(true);
      expect(run).not.toBe(other);
    }
  });

  it('says that it lies inside, also where it had to be cut; one that continues a run does not', () => {
    for (const parent of ['r', 'r'.repeat(79), 'r'.repeat(120), 'with.dots-1']) {
      expect(isInside({ run: childIdOf(callOf({ run: parent, node: 'a' }), undefined), parent })).toBe(true);
      expect(isInside({ run: parent, parent: null })).toBe(false);
    }
    expect(isInside({ run: 'r-again', parent: 'r' })).toBe(false);
    expect(isInside({ run: 'other', parent: 'r' })).toBe(false);
  });
});

describe('a run that a step has started before', () => {
  const end = { run: 'r.a.0.0-12345678', status: 'failed', reason: 'no', output: null };
  const failed = (output: object): RunState => {
    const events = [startedEvent('a'), endedEvent('a', 'ok', { output })];
    return stateAfter(one, [...events, { type: 'run.ended', data: { status: 'failed', reason: 'no' } }]);
  };

  it('is found by its step where both have failed', () => {
    expect(failedChildOf(failed(end), 'a')).toBe(end.run);
  });

  it.each<[string, RunState | null, string | null]>([
    ['nothing is continued', null, 'a'],
    ['the step is another', failed(end), 'b'],
    ['the call belongs to no step', failed(end), null],
    ['it got done', failed({ ...end, status: 'done' }), 'a'],
    ['the step gave something else', failed({ status: 'failed' }), 'a'],
    [
      'the run around it did not fail',
      stateAfter(one, [startedEvent('a'), endedEvent('a', 'ok', { output: end })]),
      'a',
    ],
  ])('is not there when %s', (_, before, node) => {
    expect(failedChildOf(before, node)).toBeNull();
  });

  it.each([null, 'failed', 3, [], [end], {}, { run: 1, status: 'failed' }, { run: 'x' }])(
    'is not taken from %j',
    (output) => {
      expect(isFailedEnd(output)).toBe(false);
    },
  );
});

describe('what a run inside may spend', () => {
  it('is the least of what is left around it and what its graph allows; what nobody bounds is not bounded', () => {
    const graph = graphOf([tool('a')], { budgets: { tokens: 100, usd: 5, retries: 2 } });
    const left = { ...everythingLeft, tokens: 40, usd: 9, seconds: 60 };
    expect(shareOfBudget(left, graph)).toEqual({ tokens: 40, usd: 5, retries: 2, seconds: 60 });
    expect(shareOfBudget(everythingLeft, one)).toEqual({});
  });

  it('is nothing where more was spent than there was', () => {
    expect(shareOfBudget({ ...everythingLeft, tokens: -7 }, one)).toEqual({ tokens: 0 });
  });
});

describe('what the end of a run means for whoever waits for it', () => {
  const ending = (status: 'done' | 'failed' | 'cancelled'): RunState =>
    stateAfter(one, [
      startedEvent('a'),
      endedEvent('a', 'ok', { output: 5, usage: { tokens_in: 3, tokens_out: 4, usd: 0.5, output_bytes: 9 } }),
      { type: 'run.ended', data: { status, reason: 'so it is', output: { a: 5 } } },
    ]);
  const usage = { tokens_in: 7, usd: 0.5, tool_calls: 1, output_bytes: 9, ms: 3000 };

  it('its output arrives, with all that it spent', () => {
    expect(answerFromChild(ending('done'))).toEqual({ verdict: 'arrived', output: { a: 5 }, by: 'r', usage });
  });

  it.each(['failed', 'cancelled'] as const)(
    'one that %s is no answer, and its spending counts all the same',
    (status) => {
      expect(answerFromChild(ending(status))).toEqual({
        verdict: 'cancelled',
        text: `run r ${status}: so it is`,
        by: 'r',
        usage,
      });
    },
  );

  it.each(['done', 'failed', 'cancelled'] as const)('to whom any end will do, %s is told as it is', (status) => {
    const output = { run: 'r', status, reason: 'so it is', output: { a: 5 } };
    expect(answerFromChild(ending(status), true)).toEqual({ verdict: 'arrived', output, by: 'r', usage });
  });
});
