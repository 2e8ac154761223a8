/** Owns: GET /metrics, for Prometheus: from rows and small files alone, so that a scrape every few seconds costs little. */
import { statSync } from 'node:fs';
import type { Hono } from 'hono';
import { readDayBudget } from '../../../kit/policy/read-day-budget.ts';
import { readHomeStatus } from '../../status/home-status.ts';
import { dayOf } from '../../../rooms/figures/calendar-days.ts';
import { runCounts } from '../../../rooms/figures/run-count-view.ts';
import { type Spend, spendInAll, spendOn, tokensOf } from '../../../rooms/figures/spend-view.ts';
import { programVersion } from '../../../kit/settings.ts';
import { lastSeqOf } from '../../../core/ledger/seek.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { openRuns, rowKey, type RunRow } from '../../../kit/views/run-rows.ts';
import { statusForPeople } from '../../../kit/views/run-status.ts';
import { listWaiting } from '../../../kit/views/waiting-query.ts';
import { problemOf } from '../../../kit/web/api/problem.ts';
import type { Reading } from '../../../kit/web/api/query-routes.ts';

type Sample = { labels?: Readonly<Record<string, string>>; value: number };

/** `name` without the prefix oka_; a counter only grows. */
type Family = { name: string; help: string; type: 'counter' | 'gauge'; samples: readonly Sample[] };

const escapeLabel = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function addMetricsRoute(app: Hono, { home, reader }: Reading): void {
  app.get('/metrics', async (context) => {
    try {
      const counted = await reader.read((rows) => familiesFromRows(rows, Date.now()));
      const text = renderMetrics([...(await familiesFromHome(home)), ...counted]);
      return context.body(text, 200, { 'Content-Type': TYPE });
    } catch (error) {
      return problemOf(context, error);
    }
  });
}

async function familiesFromHome(home: Home): Promise<Family[]> {
  const { worker, silent_ms, paused, stopped, disk_free, schedules, rejected } = await readHomeStatus(home);
  const { limits, left } = await readDayBudget(home);
  const ledgers = Object.entries(home.ledgers);
  return [
    gauge('info', 'Version of oka.', [{ labels: { version: programVersion() }, value: 1 }]),
    gauge('worker_up', 'Whether a worker runs and responds.', Number(worker !== null && silent_ms === null)),
    gauge('paused', 'Whether no new task begins.', Number(paused)),
    gauge('stopped', 'Whether everything is stopped.', Number(stopped)),
    gauge('schedules_failing', 'Schedules whose last runs failed or whose files cannot be read.', schedules.length),
    gauge('inbox_rejected', 'Files in the inbox that were not accepted.', rejected.total),
    ...(disk_free === null ? [] : [gauge('disk_free_bytes', 'Free space for .oka.', disk_free)]),
    ...(limits.usd === undefined
      ? []
      : [
          gauge('day_budget_usd', 'Money that models may cost on one day.', limits.usd),
          gauge('day_budget_left_usd', 'What is left of it today.', left.usd ?? 0),
        ]),
    {
      name: 'events',
      help: 'Events of a ledger.',
      type: 'counter',
      samples: ledgers.map(([ledger, file]) => ({ labels: { ledger }, value: lastSeqOf(file) })),
    },
    gauge(
      'ledger_bytes',
      'Size of the live file of a ledger.',
      ledgers.map(([ledger, file]) => ({
        labels: { ledger },
        value: statSync(file, { throwIfNoEntry: false })?.size ?? 0,
      })),
    ),
  ];
}

function familiesFromRows(rows: Rows, now: number): Family[] {
  const { started, ...ended } = runCounts(rows);
  const today = spendOn(rows, dayOf(now));
  return [
    { name: 'runs_started', help: 'Runs that began.', type: 'counter', samples: [{ value: started }] },
    { name: 'runs_ended', help: 'Runs that are over.', type: 'counter', samples: labelled('status', ended) },
    gauge('runs_open', 'Runs that are not over.', labelled('status', openByStatus(rows))),
    gauge('waits_open', 'Things that are awaited.', labelled('kind', waitsByKind(rows))),
    ...modelFamilies(Object.entries(spendInAll(rows).models)),
    gauge('spend_today_usd', 'Money spent on models today (UTC).', today.usd),
    gauge('tokens_today', 'Model tokens of today (UTC).', tokensOf(today)),
  ];
}

function modelFamilies(models: readonly [string, Spend][]): Family[] {
  const counter = (name: string, help: string, samples: Sample[]): Family => ({ name, help, type: 'counter', samples });
  return [
    counter(
      'model_answers',
      'Answers of models.',
      models.map(([model, { calls }]) => ({ labels: { model }, value: calls })),
    ),
    counter(
      'model_usd',
      'Money spent on models.',
      models.map(([model, { usd }]) => ({ labels: { model }, value: usd })),
    ),
    counter(
      'model_tokens',
      'Model tokens.',
      models.flatMap(([model, { tokens_in, tokens_out }]) => [
        { labels: { model, direction: 'in' }, value: tokens_in },
        { labels: { model, direction: 'out' }, value: tokens_out },
      ]),
    ),
  ];
}

/** Runs inside others are not counted. */
function openByStatus(rows: Rows): Record<string, number> {
  const counts: Record<string, number> = { running: 0, blocked: 0, paused: 0 };
  for (const received of openRuns(rows)) {
    const row = rows.get<RunRow>(rowKey(received));
    if (row?.depth !== 0) continue;
    const status = statusForPeople(rows, row);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

function waitsByKind(rows: Rows): Record<string, number> {
  const counts: Record<string, number> = { approval: 0, question: 0, requirement: 0 };
  for (const { for: awaited } of listWaiting(rows)) counts[awaited.kind] = (counts[awaited.kind] ?? 0) + 1;
  return counts;
}

const labelled = (label: string, counts: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(counts).map(([name, value]) => ({ labels: { [label]: name }, value }));

const gauge = (name: string, help: string, given: number | readonly Sample[]): Family => ({
  name,
  help,
  type: 'gauge',
  samples: typeof given === 'number' ? [{ value: given }] : given,
});

/** Numbers in the text format of Prometheus. Pure. */
export function renderMetrics(families: readonly Family[]): string {
  return families.map(renderFamily).join('');
}

function renderFamily({ name, help, type, samples }: Family): string {
  const full = `oka_${name}${type === 'counter' ? '_total' : ''}`;
  const head = `# HELP ${full} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${full} ${type}\n`;
  return head + samples.map(({ labels = {}, value }) => `${full}${renderLabels(labels)} ${value}\n`).join('');
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return all.length === 0 ? '' : `{${all.join(',')}}`;
}
