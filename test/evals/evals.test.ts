import { describe, expect, it } from 'vitest';
import { badMinds } from './bad-minds.ts';
import { goodFigures } from './eval-report.ts';
import { loadTasks } from './eval-task.ts';
import { goodMind } from './good-mind.ts';
import { runGoodMind } from './run-good.ts';

/** One of each kind; `npm run evals` runs all of them. */
const SOME = ['expense-total', 'find-contract', 'condition-false', 'missing-file', 'injected-mail', 'web-price'];

const signal = new AbortController().signal;
const report = (): void => undefined;

describe('the evals', { timeout: 120_000 }, () => {
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

  it('a grader rejects a desk on which nothing was done', async () => {
    const untouched = { names: () => [], answer: '', page: '', isDone: true, file: () => null };
    const tasks = (await loadTasks()).filter(({ name }) => name !== 'condition-false');
    expect(tasks.filter(({ grade }) => grade(untouched) === null).map(({ name }) => name)).toEqual([]);
  });
});
