import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { badMinds, laxMinds } from '../evals/bad-minds.ts';
import { goodFigures, requestFigures } from '../evals/eval-report.ts';
import { type EvalTask, loadTasks } from '../evals/eval-task.ts';
import type { Event } from '../../src/core/schema/event.ts';
import { countTokens } from '../evals/count-tokens.ts';
import { emptyTurnsIn } from '../evals/role-costs.ts';
import { runOwnTasks } from '../evals/run-own.ts';
import { serveMind } from '../evals/serve-mind.ts';
import { goodMind } from '../evals/good-mind.ts';
import { runBadMinds } from '../evals/run-bad.ts';
import { runGoodMind } from '../evals/run-good.ts';
import { casesOf, timesOf } from '../support/thorough.ts';

/** One of each kind; `npm run evals` runs all of them. */
const SOME = casesOf(
  ['expense-total', 'find-contract', 'condition-false', 'missing-file', 'injected-mail', 'web-price'],
  (name) => ['find-contract', 'condition-false', 'web-price'].includes(name),
);

const signal = new AbortController().signal;
const report = (): void => undefined;
const isThere = (task: EvalTask | undefined): task is EvalTask => task !== undefined;

// The evals set the proxy of their process; the tests that follow in it must not meet that one.
beforeEach(() => void vi.stubEnv('OKA_EGRESS', ''));
afterEach(() => void vi.unstubAllEnvs());

describe('the evals', () => {
  it('have at least 40 tasks and 25 bad minds, each with a name of its own', async () => {
    const tasks = await loadTasks();
    expect(new Set(tasks.map(({ text }) => text)).size).toBeGreaterThanOrEqual(40);
    expect(new Set(badMinds.map(({ name }) => name)).size).toBeGreaterThanOrEqual(25);
  });

  it('every piece of right work is accepted', async () => {
    const tasks = (await loadTasks()).filter(({ name }) => SOME.includes(name));
    const all = await runGoodMind({ tasks, repeats: 1, mind: goodMind, signal, report });
    expect(all.filter(({ right, accepted }) => !right || !accepted)).toEqual([]);
    expect(goodFigures(all)).toMatchObject({ tasks: SOME.length, right: SOME.length, right_accepted: SOME.length });
  });

  it('what one plan and one worker can do takes four requests on the mean, and none of them does nothing', async () => {
    const count = timesOf(100, 8);
    const plain = (await loadTasks()).filter(({ earlier, isImpossible }) => earlier === undefined && !isImpossible);
    const tasks = Array.from({ length: count }, (_, index) => plain[(index * 7) % plain.length]).filter(isThere);
    const all = await runGoodMind({ tasks, repeats: 1, mind: goodMind, signal, report });
    const figures = requestFigures(all);
    expect(figures).toMatchObject({ plain: count, empty: 0 });
    expect(figures.mean).toBeLessThanOrEqual(4);
  });

  it('a wrong figure that the files show is not called done, although its critic finds it right', async () => {
    const shown = ['count-errors', 'csv-to-table', 'chatter-beside-data', 'due-amount', 'quarter-report', 'web-price'];
    const tasks = (await loadTasks()).filter(({ name }) => shown.includes(name));
    const minds = [...laxMinds];
    const all = await runBadMinds({ tasks, minds, runs: timesOf(24, 8), jobs: 2, seed: 0, signal, report });
    expect(all.filter(({ isFalseDone }) => isFalseDone)).toEqual([]);
  });

  it('an answer that has to be given again is an empty turn, and so is a move alone', () => {
    const ended = (id: string, name: string): unknown => ({
      type: 'call.ended',
      data: { call: id, node: null, status: 'ok', output: { text: '', call: { name, input: {} }, problem: null } },
    });
    const moved = (more: object): unknown => ({
      type: 'decision.made',
      data: { node: 'a', turn: 0, decision: { kind: 'Transition', to: 'act', rationale: '', ...more } },
    });
    const events = [
      ended('r.plan.0.1.1', 'submit_plan'),
      ended('r.critique.0.1.1', 'files_read'),
      ended('r.critique.0.1.2', 'submit_verdict'),
      moved({ note: 'remember' }),
    ];
    expect(emptyTurnsIn(events as Event[])).toBe(0);
    const idle = [
      ...events,
      ended('r.plan.0.1.2', 'submit_plan'),
      ended('r.critique.0.1.3', 'submit_verdict'),
      moved({}),
      { type: 'decision.rejected', data: { node: 'a', turn: 1, reason: 'no' } },
    ];
    expect(emptyTurnsIn(idle as Event[])).toBe(4);
  });

  it('no bad mind is called done for wrong work, and each is reported clearly', async () => {
    const runs = timesOf(badMinds.length, 4);
    const all = await runBadMinds({
      tasks: await loadTasks(),
      runs,
      jobs: 4,
      seed: 0,
      signal,
      report,
    });
    expect(all.filter(({ isFalseDone, isClear }) => isFalseDone || !isClear)).toEqual([]);
    expect(all).toHaveLength(runs);
  });

  it('tasks of somebody else are done with the model of the environment and graded by their command', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oka-own-tasks-'));
    const task = (await loadTasks()).find(({ name }) => name === 'expense-total');
    if (task === undefined) throw new Error('there is no task expense-total');
    cpSync(join(import.meta.dirname, '../evals/tasks/expense-total/files'), join(folder, 'sum'), { recursive: true });
    writeFileSync(join(folder, 'sum/TASK.md'), task.text);
    writeFileSync(
      join(folder, 'grade.sh'),
      'test "$1" = sum && grep -q "$0" "$2/total.txt" && test -s "$2/RESULT.md"\n',
    );
    await using served = await serveMind(goodMind(), await countTokens());
    served.task = task;
    vi.stubEnv('OKA_MODEL', 'custom:evals');
    vi.stubEnv('OKA_MODEL_URL', served.url);
    try {
      const options = { folder, repeats: 1, signal, report };
      const right = await runOwnTasks({ ...options, grade: `sh -c "$(cat ${folder}/grade.sh)" 131.65` });
      expect(goodFigures(right)).toMatchObject({ tasks: 1, right: 1, right_accepted: 1 });
      const wrong = await runOwnTasks({ ...options, grade: `sh -c "$(cat ${folder}/grade.sh)" 99.99` });
      expect(goodFigures(wrong)).toMatchObject({ tasks: 1, right: 0, right_accepted: 0 });
    } finally {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true });
    }
  });

  it('a grader rejects a desk on which nothing was done', async () => {
    const untouched = { names: () => [], answer: '', page: '', isDone: true, file: () => null };
    const tasks = (await loadTasks()).filter(({ name }) => name !== 'condition-false');
    expect(tasks.filter(({ grade }) => grade(untouched) === null).map(({ name }) => name)).toEqual([]);
  });
});
