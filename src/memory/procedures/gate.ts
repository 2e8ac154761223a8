/**
 * Owns: when a procedure is believed, doubted or given up. Pure.
 *
 * G1 Success alone proves nothing: what is asked for is that runs with the procedure are better than comparable runs
 *    without it. Quality counts first: it is better when it fails less, or when it is faster and does not fail more.
 * G2 The evidence is an e-value: looked at after every run, it lets a useless procedure through with a chance of at most
 *    1 / `e_value` (5 % by default), however often it is looked at. The baseline is only known from its runs, so the
 *    upper end of what they allow is taken.
 * G3 Runs with it that went wrong lately forbid a promotion, and take one back.
 */
import type { MaintenanceConfig } from '../../schema/maintenance.ts';
import type { ProcedureNumbers, ProcedureStatus } from '../../schema/procedure.ts';

/** One run of the kind that the procedure is for. */
export type Trial = { at: string; fine: boolean; tokens: number; seconds: number | null };

export type Case = {
  status: ProcedureStatus;
  /** Since when it has this status. */
  since: string;
  forced: boolean;
  /** Successful executions of its steps that do not depend on each other, whoever planned them. */
  successes: number;
  lastSuccess: string | null;
  /** In the order in which they ended. */
  with: readonly Trial[];
  without: readonly Trial[];
};

export type GateSettings = MaintenanceConfig['procedures'];
export type Judgement = { to: ProcedureStatus; reason: string };

/** So many runs tell what is usual. */
const LEAST_BASELINE = 20;
/** "Does not fail more": a drop of the share of good runs that nobody would accept. */
const MOST_DROP = 0.15;
/** A difference that somebody would notice. */
const LEAST_GAIN = 0.2;
/** So many of the latest runs with it may go wrong before it is no longer used. */
const MOST_WRONG = 1;

const DAY_MS = 24 * 60 * 60 * 1000;

export function numbersOf(given: Case, now: string, settings: GateSettings): ProcedureNumbers {
  const { wins, losses } = comparisons(given);
  return {
    successes: given.successes,
    with: sideOf(given.with),
    without: sideOf(given.without),
    wins,
    losses,
    e_value: Math.round(evidenceFor(given) * 100) / 100,
    contradictions: contradictions(given.with, now, settings),
    last_validated: given.lastSuccess,
  };
}

/** What becomes of it now; null when it stays what it is. */
export function judged(given: Case, numbers: ProcedureNumbers, now: string, settings: GateSettings): Judgement | null {
  switch (given.status) {
    case 'candidate':
      return promotion(numbers, settings) ?? retirement(given, now, settings);
    case 'promoted':
      return demotion(given, settings) ?? retirement(given, now, settings);
    case 'demoted':
      return retirement(given, now, settings);
    case 'retired':
      return null;
  }
}

function promotion(numbers: ProcedureNumbers, settings: GateSettings): Judgement | null {
  const { successes, e_value, contradictions: wrong } = numbers;
  if (successes < settings.least_successes || e_value < settings.e_value || wrong > 0) return null;
  return { to: 'promoted', reason: `${successes} independent successes, and better than without it (e = ${e_value})` };
}

/** G3. A forced one, too: a person who wants it anyway can force it again. */
function demotion({ with: runs, since }: Case, settings: GateSettings): Judgement | null {
  const latest = runs.filter(({ at }) => at > since).slice(-settings.recent_runs);
  const wrong = latest.filter(({ fine }) => !fine).length;
  if (wrong <= MOST_WRONG) return null;
  return { to: 'demoted', reason: `${wrong} of its last ${latest.length} runs went wrong` };
}

function retirement(given: Case, now: string, { retire_days: days }: GateSettings): Judgement | null {
  const last = [given.since, given.lastSuccess ?? '', given.with.at(-1)?.at ?? ''].toSorted().at(-1) ?? given.since;
  if (days === null || Date.parse(now) - Date.parse(last) < days * DAY_MS) return null;
  return { to: 'retired', reason: `not needed for ${days} days` };
}

function contradictions(runs: readonly Trial[], now: string, { recent_runs, recent_days }: GateSettings): number {
  const since = new Date(Date.parse(now) - recent_days * DAY_MS).toISOString();
  return runs.filter(({ fine, at }, index) => !fine && (index >= runs.length - recent_runs || at >= since)).length;
}

/** G1, G2: fails less; or is faster and does not fail more. */
function evidenceFor(given: Case): number {
  const usual = sideOf(given.without);
  if (usual.runs < LEAST_BASELINE || given.with.length === 0) return 0;
  const fine = given.with.filter((run) => run.fine).length;
  const [good, bad] = [fine, given.with.length - fine];
  const most = upperBound(usual.fine, usual.runs);
  const { wins, losses } = comparisons(given);
  const better = evidence(most, good, bad);
  const asGood = evidence(most - MOST_DROP, good, bad);
  const faster = evidence(0.5, wins, losses);
  return Math.max(better, Math.min(asGood, faster));
}

/**
 * Evidence against "it goes well with a chance of at most `usual`": a mixture of bets on higher chances, most of them on
 * chances near 1. Each bet is worth 1 on average if the claim is true, and so is the mixture.
 */
export function evidence(usual: number, good: number, bad: number): number {
  if (usual > BEST_THINKABLE) return 0;
  const q = Math.max(usual, 0.01);
  return BETS.reduce((sum, { weight, gap }) => {
    const p = 1 - (1 - q) * gap;
    return sum + weight * Math.exp(good * Math.log(p / q) + bad * Math.log((1 - p) / (1 - q)));
  }, 0);
}

/** Nothing can be shown to be better than this. */
const BEST_THINKABLE = 0.999;

const BETS = [
  { gap: 0.02, weight: 0.4 },
  { gap: 0.1, weight: 0.25 },
  { gap: 0.25, weight: 0.15 },
  { gap: 0.5, weight: 0.1 },
  { gap: 0.75, weight: 0.1 },
];

/** Each run with it is held against a run without it, the latest before it that has not been used yet. */
function comparisons({ with: runs, without }: Case): { wins: number; losses: number } {
  const waiting: Trial[] = [];
  let [next, wins, losses] = [0, 0, 0];
  for (const run of runs) {
    for (; next < without.length && (without[next]?.at ?? '') <= run.at; next += 1)
      waiting.push(without[next] as Trial);
    const other = waiting.pop();
    const better = other === undefined ? 0 : compare(run, other);
    if (better > 0) wins += 1;
    if (better < 0) losses += 1;
  }
  return { wins, losses };
}

/** Above 0 when the first is better. Going well counts more than any speed; two that went wrong say nothing. */
function compare(run: Trial, other: Trial): number {
  if (run.fine !== other.fine) return run.fine ? 1 : -1;
  if (!run.fine) return 0;
  const [mine, theirs] = run.tokens + other.tokens > 0 ? [run.tokens, other.tokens] : [run.seconds, other.seconds];
  if (mine === null || theirs === null) return 0;
  if (mine < theirs * (1 - LEAST_GAIN)) return 1;
  return theirs < mine * (1 - LEAST_GAIN) ? -1 : 0;
}

const Z80 = 0.8416;

/** The highest share that so many good runs of so many still allow, with a chance of 80 % (Wilson). */
function upperBound(good: number, runs: number): number {
  const [share, z2] = [good / runs, Z80 * Z80];
  const middle = share + z2 / (2 * runs);
  const width = Z80 * Math.sqrt((share * (1 - share)) / runs + z2 / (4 * runs * runs));
  return Math.min(1, (middle + width) / (1 + z2 / runs));
}

function sideOf(runs: readonly Trial[]): ProcedureNumbers['with'] {
  const seconds = runs.flatMap((run) => (run.seconds === null ? [] : [run.seconds]));
  return {
    runs: runs.length,
    fine: runs.filter(({ fine }) => fine).length,
    seconds: median(seconds),
    tokens: median(runs.map(({ tokens }) => tokens)),
  };
}

function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
}
