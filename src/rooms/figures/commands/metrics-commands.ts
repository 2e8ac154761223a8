/** How well it goes, in numbers. */
import { type DayBudgetStatus, describeDayLeft, readDayBudget } from '../../../kit/policy/read-day-budget.ts';
import type { Figure, Metrics, Unit } from '../figures.ts';
import { queryMetrics } from '../metrics-view.ts';
import { packUse } from '../pack-use-view.ts';
import { cachedShare } from '../spend-view.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import { count, fitText, plainText } from '../../../kit/cli/plain-text.ts';
import { sparkline } from '../../../kit/cli/sparkline.ts';
import { parsedText } from '../../../kit/cli/options.ts';
import { parseSince } from '../../../kit/cli/option-values.ts';

type Shown = Metrics & {
  day_budget: DayBudgetStatus;
  /** The share of prompt tokens that caches of providers have served. */
  cached_share: number | null;
  /** Tokens of memories in prompts, and of those of which nothing was seen in an answer. */
  memories: { tokens: number; unused: number };
};

const BARS = 14;

export const commands: Commands = {
  metrics: command({
    summary: 'Show how well it goes: completion, rework, time, cost, reuse',
    options: { since: parsedText('WHEN', 'Only tasks since a day, or so many days: 7d.', parseSince) },
    example: 'oka metrics --since 30d',
    run: metricsCommand,
    render: (metrics, terminal) => {
      if (metrics.tasks === 0) return 'There are no tasks yet. Drop one into workspace/inbox, or: oka add "…"\n';
      const { from, to, tasks, open } = metrics;
      const { bold, dim } = terminal;
      const when = from === null ? '' : from === to ? `, ${from}` : `, ${from} to ${to}`;
      const head = `${count(tasks, 'task')}${open === 0 ? '' : `, ${open} of them not finished`}${when}`;
      const hint = 'Show a run: oka show <run>. Runs behind each figure: oka metrics --json';
      const left = describeDayLeft(metrics.day_budget);
      const budget = left === null ? '' : `\n  left today   ${left}\n`;
      const { cached_share: share } = metrics;
      const cached =
        share === null ? '' : `  cached       ${FORMATS.share(share).padStart(9)}  of prompt tokens, by providers\n`;
      const { tokens, unused } = metrics.memories;
      const memories =
        tokens === 0
          ? ''
          : `  unused       ${FORMATS.share(unused / tokens).padStart(9)}  of ${tokens} tokens of memories in prompts\n`;
      const figures = metrics.figures.map((figure) => renderFigure(figure, terminal)).join('');
      return `${bold(head)}\n\n${figures}${cached}${memories}${budget}\n${dim(hint)}\n`;
    },
  }),
};

function renderFigure({ name, value, unit, of, days, runs }: Figure, { isTerminal, dim, width }: Terminal): string {
  const bars = isTerminal && days.length > 1 ? sparkline(days, BARS) : '';
  const shown = value === null ? '–' : FORMATS[unit](value);
  const start = `  ${name.padEnd(13)}${shown.padStart(9)}  ${bars === '' ? '' : `${bars.padEnd(BARS)}  `}`;
  const latest = runs.at(-1);
  const about = latest === undefined || value === null ? of : `${of}: ${latest}${runs.length > 1 ? ', …' : ''}`;
  return `${start}${dim(fitText(plainText(about), width - start.length))}\n`;
}

const FORMATS: Readonly<Record<Unit, (value: number) => string>> = {
  share: (value) => `${Math.round(value * 100)} %`,
  seconds: (value) => (value < 100 ? `${value.toFixed(1)} s` : `${Math.round(value / 60)} min`),
  usd: (value) => `$${value.toFixed(value < 1 ? 4 : 2)}`,
  tokens: (value) => String(Math.round(value)),
  count: String,
  ratio: (value) => `× ${value.toFixed(2)}`,
};

async function metricsCommand(call: Call<{ since: string | undefined }>): Promise<Answer<Shown>> {
  const since = call.options.since ?? null;
  const metrics = await readViews(call, (rows) => ({
    ...queryMetrics(rows, since),
    cached_share: cachedShare(rows, since),
    memories: packUse(rows, since),
  }));
  return answer({ ...metrics, day_budget: await readDayBudget(call.home) });
}
