/** "Why did this cost?": from a day to its runs, and from a run to its steps and their calls. Reads rows only. */
import { z } from 'zod';
import { addSpend, nothingSpent, type SpendOfCall, spendByCall, spendByRun, spendOn } from '../spend-view.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { Id } from '../../../core/schema/names.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { Day, SpendDayAnswer, SpendRunAnswer } from './figure-answers.ts';
import { sumSpend } from './figure-queries.ts';

const MOST_RUNS = 100;
const MOST_ANSWERS = 2000;
const MAINTENANCE = 'Maintenance: what it rewords and learns at night';

export const spendDayQuery = defineQuery({
  params: z.strictObject({ date: Day }),
  answer: SpendDayAnswer,
  read: ({ params: { date }, views }) => views((rows) => spendOfDay(rows, date)),
});

export const spendRunQuery = defineQuery({
  params: z.strictObject({ run: Id.optional().describe('The task; left out for maintenance.') }),
  answer: SpendRunAnswer,
  read: ({ params: { run }, views }) => views((rows) => spendOfRun(rows, run ?? null)),
});

function spendOfDay(rows: Rows, date: string): z.input<typeof SpendDayAnswer> {
  const all = spendByRun(rows, date);
  const runs = all.slice(0, MOST_RUNS).map((spent) => ({ ...spent, title: titleOf(rows, spent.run) }));
  return { date, spent: spendOn(rows, date), runs, more: all.length - runs.length };
}

function spendOfRun(rows: Rows, run: string | null): z.input<typeof SpendRunAnswer> {
  if (run !== null && storedRun(rows, run) === undefined) throw new OkaError('no-such-run', `there is no run "${run}"`);
  const root = run === null ? null : (storedRun(rows, run)?.root ?? run);
  const found = spendByCall(rows, root, MOST_ANSWERS + 1);
  const answers = found.slice(0, MOST_ANSWERS);
  const spent = sumSpend(answers.map((each) => ({ ...spendOnly(each), models: { [each.model]: spendOnly(each) } })));
  return {
    run: root,
    title: titleOf(rows, root),
    spent,
    steps: stepsOf(rows, answers),
    more: found.length > MOST_ANSWERS,
  };
}

const spendOnly = ({ usd, tokens_in, tokens_out, calls }: SpendOfCall): ReturnType<typeof nothingSpent> => ({
  usd,
  tokens_in,
  tokens_out,
  calls,
});

type Step = z.input<typeof SpendRunAnswer>['steps'][number];

function stepsOf(rows: Rows, answers: readonly SpendOfCall[]): Step[] {
  const steps = new Map<string, Step>();
  for (const answer of answers) {
    const { run, node, usd, tokens_in, tokens_out, seq, at, call, model, ms } = answer;
    const key = `${run ?? ''}/${node ?? ''}`;
    const step = steps.get(key) ?? { ...nothingSpent(), run, node, title: stepTitle(rows, answer), answers: [] };
    addSpend(step, answer);
    step.answers.push({ usd, tokens_in, tokens_out, seq, at, call, model, ms });
    steps.set(key, step);
  }
  return [...steps.values()];
}

function stepTitle(rows: Rows, { run, node }: SpendOfCall): string {
  if (run === null) return MAINTENANCE;
  const known = storedRun(rows, run)?.nodes.find(({ id }) => id === node);
  return known?.title ?? node ?? titleOf(rows, run);
}

const titleOf = (rows: Rows, run: string | null): string =>
  run === null ? MAINTENANCE : (storedRun(rows, run)?.title ?? run);
