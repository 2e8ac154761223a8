/**
 * Owns: the fold of what models cost: sums by day and model, and the answers of each task on each day, so that "why did
 * this cost?" reads a few rows and no history.
 *
 * S1 Every answer of a model counts once, on the day it came (UTC), for the outermost run around it. A call that waited
 *    for an inner run repeats what that run spent, and does not count.
 * S2 It reads rows of the view of runs, which therefore comes before it.
 * S3 An answer is stored once, in a row with its neighbours; what a task cost is added up by whoever asks.
 */
import type { Usage } from '../../core/schema/effect.ts';
import type { Event } from '../../core/schema/event.ts';
import { jsonField } from '../../core/schema/json-field.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { BLOCK } from '../../kit/views/event-index.ts';
import { seqKey, storedRun } from '../../kit/views/run-rows.ts';
import { beforeDay } from './calendar-days.ts';

export type Spend = {
  usd: number;
  tokens_in: number;
  tokens_out: number;
  /** Those of `tokens_in` that a provider's cache has served; of sums only. */
  tokens_cached?: number;
  calls: number;
};

/** What a day or a task on a day cost, also by model. */
export type SpendByModel = Spend & { models: Record<string, Spend> };

/** `run` is the outermost run; null for maintenance, which asks models on its own account. */
type SpendOfRun = SpendByModel & { run: string | null };

/** One answer of a model. `run` and `node` asked for it, maybe inside another run. */
export type SpendOfCall = Spend & {
  seq: number;
  at: string;
  call: string;
  run: string | null;
  node: string | null;
  model: string;
  ms: number | null;
};

/** Models whose name is not known: a call that failed after it had cost something does not say who was asked. */
const UNKNOWN_MODEL = 'unknown';

const totalKey = 'spend/total';
const dayPrefix = 'spend/day/';
const answersPrefix = (date: string): string => `spend/answers/${date}/`;
const MAINTENANCE = 'maintenance';

/** The answers that a task got on a day within one block of events. */
type AnswersRow = { run: string | null; answers: StoredAnswer[] };
/** In this order, without names, since there are many. */
type StoredAnswer = [
  seq: number,
  at: string,
  call: string,
  run: string | null,
  node: string | null,
  model: string,
  usd: number,
  tokensIn: number,
  tokensOut: number,
  ms: number | null,
];

export const spendView: View = {
  name: 'spend',
  version: 3,
  types: ['call.ended'],
  take: ({ event }, rows) => {
    if (event.type === 'call.ended' && isOwnCost(event.data.usage)) noteCost(event, event.data.usage, rows);
  },
};

/** What was spent on each day, from the first to the last; `from` and `to` are dates and included. */
export function spendByDay(rows: Rows, from: string, to: string): [date: string, spend: SpendByModel][] {
  const found: [string, SpendByModel][] = [];
  const range = { after: dayPrefix + beforeDay(from), before: `${dayPrefix}${to}/` };
  for (const [key, spend] of rows.each<SpendByModel>(dayPrefix, range))
    found.push([key.slice(dayPrefix.length), spend]);
  return found;
}

/** The share of prompt tokens that caches of providers have served since a day; null where there were none. */
export function cachedShare(rows: Rows, since: string | null): number | null {
  const days = spendByDay(rows, since ?? '0001-01-01', '9999-12-31').map(([, spend]) => spend);
  const asked = days.reduce((sum, { tokens_in }) => sum + tokens_in, 0);
  return asked === 0 ? null : days.reduce((sum, { tokens_cached = 0 }) => sum + tokens_cached, 0) / asked;
}

export const spendOn = (rows: Rows, date: string): SpendByModel => spendIn(rows, dayPrefix + date);

/** Since the first event. */
export const spendInAll = (rows: Rows): SpendByModel => spendIn(rows, totalKey);

const spendIn = (rows: Rows, key: string): SpendByModel =>
  rows.get<SpendByModel>(key) ?? { ...nothingSpent(), models: {} };

/** The tasks that cost something on a day, the most expensive first. */
export function spendByRun(rows: Rows, date: string): SpendOfRun[] {
  const found = new Map<string | null, SpendOfRun>();
  for (const [, { run, answers }] of rows.each<AnswersRow>(answersPrefix(date))) {
    const spent = found.get(run) ?? { ...nothingSpent(), models: {}, run };
    for (const answer of answers.map(toSpendOfCall)) addAnswer(spent, answer, answer.model);
    found.set(run, spent);
  }
  return [...found.values()].toSorted((a, b) => b.usd - a.usd || tokensOf(b) - tokensOf(a));
}

/** The answers of models that a task asked for, in their order; null for those of maintenance. */
export function spendByCall(rows: Rows, run: string | null, limit: number): SpendOfCall[] {
  const root = rootKey(rows, run);
  const found: StoredAnswer[] = [];
  for (const [key] of rows.each(dayPrefix)) {
    if (found.length >= limit) break;
    const prefix = `${answersPrefix(key.slice(dayPrefix.length))}${root}/`;
    for (const [, { answers }] of rows.each<AnswersRow>(prefix)) found.push(...answers);
  }
  return found
    .toSorted(([a], [b]) => a - b)
    .slice(0, limit)
    .map(toSpendOfCall);
}

function toSpendOfCall([seq, at, call, run, node, model, usd, tokens_in, tokens_out, ms]: StoredAnswer): SpendOfCall {
  return { usd, tokens_in, tokens_out, calls: 1, seq, at, call, run, node, model, ms };
}

export const tokensOf = ({ tokens_in, tokens_out }: Spend): number => tokens_in + tokens_out;

export const nothingSpent = (): Spend => ({ usd: 0, tokens_in: 0, tokens_out: 0, calls: 0 });

export function addSpend(to: Spend, more: Spend): void {
  to.usd += more.usd;
  to.tokens_in += more.tokens_in;
  to.tokens_out += more.tokens_out;
  to.calls += more.calls;
  if (more.tokens_cached !== undefined) to.tokens_cached = (to.tokens_cached ?? 0) + more.tokens_cached;
}

/** The call that waited for an inner run says how many calls that run made (S1). */
function isOwnCost(usage: Usage | undefined): usage is Usage {
  if (usage === undefined || usage.tool_calls !== undefined) return false;
  return (usage.tokens_in ?? 0) + (usage.tokens_out ?? 0) + (usage.usd ?? 0) > 0;
}

function noteCost({ seq, at, run, data }: Extract<Event, { type: 'call.ended' }>, usage: Usage, rows: Rows): void {
  const { usd = 0, tokens_in = 0, tokens_out = 0, ms = null } = usage;
  const cached = usage.tokens_cached === undefined ? {} : { tokens_cached: usage.tokens_cached };
  const spend: Spend = { usd, tokens_in, tokens_out, ...cached, calls: 1 };
  const answered = jsonField(data.output, 'model');
  const model = typeof answered === 'string' ? answered.slice(0, 200) : UNKNOWN_MODEL;
  const date = at.slice(0, 10);
  addTo(rows, totalKey, spend, model);
  addTo(rows, dayPrefix + date, spend, model);
  const key = `${answersPrefix(date)}${rootKey(rows, run)}/${seqKey(Math.floor(seq / BLOCK))}`;
  const row = rows.get<AnswersRow>(key) ?? { run: rootOf(rows, run), answers: [] };
  row.answers.push([seq, at, data.call, run, data.node, model, usd, tokens_in, tokens_out, ms]);
  rows.put(key, row);
}

function addTo(rows: Rows, key: string, spend: Spend, model: string): void {
  const row = spendIn(rows, key);
  addAnswer(row, spend, model);
  rows.put(key, row);
}

function addAnswer(to: SpendByModel, spend: Spend, model: string): void {
  addSpend(to, spend);
  if (!Object.hasOwn(to.models, model)) to.models = { ...to.models, [model]: nothingSpent() };
  addSpend(to.models[model] ?? nothingSpent(), spend);
}

const rootOf = (rows: Rows, run: string | null): string | null =>
  run === null ? null : (storedRun(rows, run)?.root ?? run);

/** Keys grow with time, so that new rows are stored together. */
function rootKey(rows: Rows, run: string | null): string {
  const root = rootOf(rows, run);
  if (root === null) return MAINTENANCE;
  const received = storedRun(rows, root)?.received;
  return received === undefined ? root : seqKey(received);
}
