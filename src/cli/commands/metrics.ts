import { existsSync, statSync } from 'node:fs';
import { collect } from '../../daemon/metrics/collect.ts';
import { type Figure, type Metrics, metricsOf, type Unit } from '../../daemon/metrics/figures.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { progressOn } from '../progress.ts';
import { sparkline } from '../sparkline.ts';
import { bold, count, dim, fitted, plain, WIDTH } from '../terminal.ts';

export async function run({ home, json, text, out, err }: Call): Promise<number> {
  const since = sinceOf(text('since'), Date.now());
  if (!existsSync(home.ledgers.run)) {
    out(json ? `${JSON.stringify(metricsOf({ tasks: [], packs: [], saved: [] }))}\n` : NOTHING);
    return exits.ok;
  }
  const progress = progressOn({ err, isErrTerminal: false }, 'reading', 'bytes');
  const metrics = metricsOf(
    await collect(home.ledgers.run, since, (line) => progress.reach(line.d, statSync(home.ledgers.run).size)),
  );
  progress.end();
  out(json ? `${JSON.stringify(metrics)}\n` : shown(metrics));
  return exits.ok;
}

const NOTHING = 'There are no tasks yet. Drop one into workspace/inbox, or: oka add "…"\n';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A day, a moment, or so many days back: 2026-01-31, 7d. */
function sinceOf(given: string | undefined, now: number): string | null {
  if (given === undefined) return null;
  const [, days] = /^(\d{1,5})d$/.exec(given) ?? [];
  if (days !== undefined) return new Date(now - Number(days) * DAY_MS).toISOString();
  const moment = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(moment)) return new Date(moment).toISOString();
  throw new OkaError('usage', `--since is a day or a number of days, not "${given}"`, {
    fix: 'Such as: --since 2026-01-31, or --since 7d',
  });
}

function shown(metrics: Metrics): string {
  if (metrics.tasks === 0) return NOTHING;
  const { from, to, tasks, open } = metrics;
  const when = from === null ? '' : from === to ? `, ${from}` : `, ${from} to ${to}`;
  const head = `${count(tasks, 'task')}${open === 0 ? '' : `, ${open} of them not over`}${when}`;
  return `${bold(head)}\n\n${metrics.figures.map(lineOf).join('')}\n${dim('Look at a run: oka show <run>. All runs behind each figure: oka metrics --json')}\n`;
}

const BARS = 14;

function lineOf(figure: Figure): string {
  const { name, value, unit, of, days, runs } = figure;
  const bars = process.stdout.isTTY && days.length > 1 ? sparkline(days, BARS) : '';
  const start = `  ${name.padEnd(13)}${(value === null ? '–' : READ[unit](value)).padStart(9)}  ${bars === '' ? '' : `${bars.padEnd(BARS)}  `}`;
  const latest = runs.at(-1);
  const told = latest === undefined || value === null ? of : `${of}: ${latest}${runs.length > 1 ? ', …' : ''}`;
  return `${start}${dim(fitted(plain(told), WIDTH - start.length))}\n`;
}

const READ: Readonly<Record<Unit, (value: number) => string>> = {
  share: (value) => `${Math.round(value * 100)} %`,
  seconds: (value) => (value < 100 ? `${value.toFixed(1)} s` : `${Math.round(value / 60)} min`),
  usd: (value) => `$${value.toFixed(value < 1 ? 4 : 2)}`,
  tokens: (value) => String(Math.round(value)),
  count: String,
  ratio: (value) => `× ${value.toFixed(2)}`,
};
