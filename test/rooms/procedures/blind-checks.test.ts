import { describe, expect, it } from 'vitest';
import { findMistake, missingForTrial } from '../../../src/rooms/procedures/blind-checks.ts';
import { toExecution } from '../../../src/kit/learning/execution-record.ts';
import { applyToTask, blankTask } from '../../../src/kit/learning/task-record.ts';
import type { Trial } from '../../../src/rooms/procedures/procedure-case.ts';
import { judgeClaim } from '../../../src/rooms/task/roles/judge-claim.ts';
import type { Event } from '../../../src/core/schema/event.ts';

const SHA = 'a'.repeat(64);

type Found = { holds: boolean; by: 'check' | 'model' | 'person'; evidence?: string };
const judged = (verdict: 'done' | 'rework', ...found: Found[]): object => ({
  type: 'run.judged',
  data: { verdict, reason: '', criteria: found.map((each) => ({ text: 't', evidence: 'e', ...each })) },
});
const [rejected, accepted] = [
  judged('rework', { holds: true, by: 'check' }, { holds: false, by: 'model' }),
  judged('done'),
];
const corrected = { type: 'run.corrected', data: { by: 'later' } };
const undone = { type: 'run.undone', data: {} };

/** Who saw a mistake in a run whose first plan was made by this planner; a run that is sent back is planned by a model. */
function seenBy(by: 'procedure' | 'model', ...events: object[]): Trial['seen_by'] {
  const task = { ...blankTask(), run: 'r', plans: 1, status: 'done' as const };
  task.plan = { by, sha256: SHA, criteria: [], input: null, tools: [], targets: [], seq: 1 };
  for (const event of events) {
    applyToTask(task, { run: 'r', seq: 1, ...event } as unknown as Event);
    if (task.open.sent_back) task.plan = { ...task.plan, by: 'model' };
  }
  return toExecution(task, { seq: 1, family: 'f', shape: null, inputs: 'i', tainted: false }).seen_by;
}

describe('a mistake that no check saw', () => {
  it.each([
    ['the critic', [rejected], 'critic'],
    [
      'a person who was asked',
      [judged('rework', { holds: true, by: 'check' }, { holds: false, by: 'person' })],
      'critic',
    ],
    ['a person who corrects the result', [accepted, corrected], 'person'],
    ['a person who undoes it', [accepted, undone], 'person'],
  ] as const)('is seen by %s', (_, events, expected) => {
    expect(seenBy('procedure', ...events)).toBe(expected);
    expect(seenBy('model', ...events)).toBeNull();
  });

  it('is none where a check failed, nothing was found, or a model had planned again what is corrected', () => {
    const failed = judged('rework', { holds: false, by: 'check' }, { holds: false, by: 'model' });
    expect(seenBy('procedure', accepted)).toBeNull();
    expect(seenBy('procedure', failed)).toBeNull();
    expect(seenBy('procedure', judged('rework'))).toBeNull();
    expect(seenBy('procedure', failed, rejected, accepted, corrected)).toBeNull();
  });

  it('is none where the critic says that all is met, and is not believed; what it finds besides is one', () => {
    const claim = { criterion: 'c1', holds: true, evidence: 'e9', quote: 'it is done' };
    const unproven = { by: 'model', ...judgeClaim('It is sorted.', claim, { shown: [] }) } as const;
    const met = { holds: true, by: 'check' } as const;
    expect(unproven.holds).toBe(false);
    expect(seenBy('procedure', judged('rework', met, unproven))).toBeNull();
    for (const evidence of ['against it: "unsorted"', 'no evidence for it'])
      expect(seenBy('procedure', judged('rework', met, unproven, { holds: false, by: 'model', evidence }))).toBe(
        'critic',
      );
  });
});

describe('what is missing until it is tried again', () => {
  const at = (day: number): string => new Date(Date.UTC(2026, 0, day)).toISOString();
  const run = (day: number, seen_by: Trial['seen_by'] = null): Trial => ({
    run: `r${day}`,
    at: at(day),
    fine: seen_by === null,
    seen_by,
    repeated: false,
    tokens: 1,
    seconds: 1,
  });
  const days = (from: number, count: number): Trial[] => Array.from({ length: count }, (_, n) => run(from + n));
  const about = {
    history: [run(5, 'critic')],
    without: days(1, 10),
    since: at(6),
    began: at(2),
    confirmed: '',
    differing: [],
  };

  it('good runs without it, where the critic saw it', () => {
    expect(missingForTrial(about)).toEqual(['56 more good runs without it']);
    expect(missingForTrial({ ...about, without: days(7, 60) })).toEqual([]);
    expect(missingForTrial({ ...about, began: at(5) })).toEqual([]);
  });

  it('a person who promotes it, where a person saw it, in whatever earlier version', () => {
    const seen = { ...about, history: [run(1, 'person'), ...days(3, 9)], without: days(7, 60) };
    expect(missingForTrial(seen)).toEqual(['a person who promotes it, since one corrected or undid its result']);
    expect(findMistake(seen)).toEqual({ run: 'r1', seenBy: 'person' });
    expect(findMistake({ ...seen, confirmed: at(2) })).toBeNull();
  });
});
