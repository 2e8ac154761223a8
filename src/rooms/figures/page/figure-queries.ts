/** The queries of the page Figures: a row a day, and the runs behind each point only when they are asked for. */
import { z } from 'zod';
import { type DayBudgetStatus, readDayBudget } from '../../../kit/policy/read-day-budget.ts';
import { dayOf, daysBetween } from '../calendar-days.ts';
import { metricsOfDays } from '../metrics-view.ts';
import { addSpend, nothingSpent, type SpendByModel, spendByDay, spendOn } from '../spend-view.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { Day, FigureRunsAnswer, FiguresAnswer, type RunBehind } from './figure-answers.ts';

const MOST_DAYS = 366;

export const figuresQuery = defineQuery({
  params: z.object({
    days: z.coerce.number().int().min(1).max(MOST_DAYS).default(30).describe('How many days, today among them.'),
  }),
  answer: FiguresAnswer,
  read: async ({ home, params, views }) => {
    const budget = await readDayBudget(home);
    return views((rows) => readFigures(rows, params.days, Date.now(), budget));
  },
});

export const figureRunsQuery = defineQuery({
  params: z.strictObject({
    figure: z.string().max(100).describe('The name of the figure.'),
    from: Day.describe('The first day.'),
    to: Day.describe('The last day; the first one for a single point.'),
  }),
  answer: FigureRunsAnswer,
  read: ({ params, views }) => views((rows) => runsBehind(rows, params)),
});

const DAY_MS = 24 * 60 * 60 * 1000;

const NO_LIMIT = { limits: {}, left: { usd: null, tokens: null, calls: null } };

export function readFigures(
  rows: Rows,
  count: number,
  now: number,
  { limits, left }: Pick<DayBudgetStatus, 'limits' | 'left'> = NO_LIMIT,
): z.input<typeof FiguresAnswer> {
  const [from, today] = [dayOf(now - (count - 1) * DAY_MS), dayOf(now)];
  const days = daysBetween(from, today, MOST_DAYS);
  const { tasks, open, figures, from: first } = metricsOfDays(rows, from, today);
  const spent = new Map(spendByDay(rows, from, today));
  const spend = days.map((date) => spent.get(date) ?? emptySpend());
  return {
    days,
    tasks,
    open,
    figures: figures.map(({ name, unit, value, of, days: values }) => ({
      name,
      unit,
      value,
      of,
      days: values.length === 0 ? [] : alignDays(days, first, values),
    })),
    spend,
    total: sumSpend(spend),
    today: {
      date: today,
      spent: spendOn(rows, today),
      limit_usd: limits.usd ?? null,
      left_usd: left.usd,
      limit_tokens: limits.tokens ?? null,
      left_tokens: left.tokens,
      limit_calls: limits.calls ?? null,
      left_calls: left.calls,
    },
  };
}

/** Figures begin with the first day on which a task ended; the page shows all days. */
function alignDays(
  days: readonly string[],
  first: string | null,
  values: readonly (number | null)[],
): (number | null)[] {
  const offset = first === null ? days.length : days.indexOf(first);
  return days.map((_, index) => values[index - offset] ?? null);
}

function runsBehind(
  rows: Rows,
  { figure, from, to }: { figure: string; from: string; to: string },
): z.input<typeof FigureRunsAnswer> {
  const found = metricsOfDays(rows, from, to).figures.find(({ name }) => name === figure);
  if (found === undefined) throw new OkaError('usage', `there is no figure "${figure}"`);
  return { figure, of: found.of, value: found.value, runs: found.runs.toReversed().map((run) => runBehind(rows, run)) };
}

function runBehind(rows: Rows, run: string): z.input<typeof RunBehind> {
  const row = storedRun(rows, run);
  if (row === undefined) return { run, title: run, status: null, started: null, usd: 0, tokens: 0 };
  const { title, status, started, spent } = row;
  return { run, title, status, started, usd: spent.usd, tokens: spent.tokens };
}

const emptySpend = (): SpendByModel => ({ ...nothingSpent(), models: {} });

export function sumSpend(all: readonly SpendByModel[]): SpendByModel {
  const total = emptySpend();
  for (const each of all) {
    addSpend(total, each);
    for (const [model, spent] of Object.entries(each.models)) {
      const own = Object.hasOwn(total.models, model) ? total.models[model] : undefined;
      const sum = own ?? nothingSpent();
      addSpend(sum, spent);
      total.models = { ...total.models, [model]: sum };
    }
  }
  return total;
}
