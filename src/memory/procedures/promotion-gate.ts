/**
 * Owns: when a procedure is promoted, demoted or retired. Pure.
 *
 * G1 Success alone proves nothing: runs with the procedure must be better than comparable runs without it. Quality comes
 *    first: a procedure is better when it fails less, or when it is faster and does not fail more.
 * G2 The evidence is an e-value: checked after every run, it promotes a useless procedure with a probability of at most
 *    1 / `e_value` (5 % by default), however often it is checked. The baseline is only known from its runs, so the upper
 *    bound of what they allow is used.
 * G3 Recent failures with the procedure prevent a promotion, and revoke one.
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

/** Runs needed to know the baseline. */
const MIN_BASELINE_RUNS = 20;
/** The largest drop in the share of good runs that still counts as "does not fail more". */
const MAX_QUALITY_DROP = 0.15;
/** The smallest difference in cost that counts. */
const MIN_GAIN = 0.2;
/** Recent failures that a promoted procedure may have before it is demoted. */
const MAX_RECENT_FAILURES = 1;

const DAY_MS = 24 * 60 * 60 * 1000;

export function computeNumbers(given: Case, now: string, settings: GateSettings): ProcedureNumbers {
  const { wins, losses } = compareRuns(given);
  return {
    successes: given.successes,
    with: summarizeRuns(given.with),
    without: summarizeRuns(given.without),
    wins,
    losses,
    e_value: Math.round(computeEvidence(given) * 100) / 100,
    contradictions: countContradictions(given.with, now, settings),
    last_validated: given.lastSuccess,
  };
}

/** Returns the new status, or null when it stays the same. */
export function judge(given: Case, numbers: ProcedureNumbers, now: string, settings: GateSettings): Judgement | null {
  switch (given.status) {
    case 'candidate':
      return judgePromotion(numbers, settings) ?? judgeRetirement(given, now, settings);
    case 'promoted':
      return judgeDemotion(given, settings) ?? judgeRetirement(given, now, settings);
    case 'demoted':
      return judgeRetirement(given, now, settings);
    case 'retired':
      return null;
  }
}

function judgePromotion(numbers: ProcedureNumbers, settings: GateSettings): Judgement | null {
  const { successes, e_value, contradictions: wrong } = numbers;
  if (successes < settings.least_successes || e_value < settings.e_value || wrong > 0) return null;
  return { to: 'promoted', reason: `${successes} independent successes, and better than without it (e = ${e_value})` };
}

/** Demotes after recent failures (G3), also a forced procedure: a person can force it again. */
function judgeDemotion({ with: runs, since }: Case, settings: GateSettings): Judgement | null {
  const latest = runs.filter(({ at }) => at > since).slice(-settings.recent_runs);
  const wrong = latest.filter(({ fine }) => !fine).length;
  if (wrong <= MAX_RECENT_FAILURES) return null;
  return { to: 'demoted', reason: `${wrong} of its last ${latest.length} runs went wrong` };
}

function judgeRetirement(given: Case, now: string, { retire_days: days }: GateSettings): Judgement | null {
  const last = [given.since, given.lastSuccess ?? '', given.with.at(-1)?.at ?? ''].toSorted().at(-1) ?? given.since;
  if (days === null || Date.parse(now) - Date.parse(last) < days * DAY_MS) return null;
  return { to: 'retired', reason: `not needed for ${days} days` };
}

function countContradictions(runs: readonly Trial[], now: string, { recent_runs, recent_days }: GateSettings): number {
  const since = new Date(Date.parse(now) - recent_days * DAY_MS).toISOString();
  return runs.filter(({ fine, at }, index) => !fine && (index >= runs.length - recent_runs || at >= since)).length;
}

/** Evidence that it fails less, or is faster and does not fail more (G1, G2). */
function computeEvidence(given: Case): number {
  const usual = summarizeRuns(given.without);
  if (usual.runs < MIN_BASELINE_RUNS || given.with.length === 0) return 0;
  const fine = given.with.filter((run) => run.fine).length;
  const [good, bad] = [fine, given.with.length - fine];
  const most = upperBound(usual.fine, usual.runs);
  const { wins, losses } = compareRuns(given);
  const better = eValue(most, good, bad);
  const asGood = eValue(most - MAX_QUALITY_DROP, good, bad);
  const faster = eValue(0.5, wins, losses);
  return Math.max(better, Math.min(asGood, faster));
}

/**
 * Evidence against "it succeeds with a probability of at most `usual`": a mixture of bets on higher probabilities, most
 * of them near 1. Each bet has an expected value of 1 if the claim is true, and so has the mixture.
 */
export function eValue(usual: number, good: number, bad: number): number {
  if (usual > HIGHEST_BASELINE) return 0;
  const q = Math.max(usual, 0.01);
  return BETS.reduce((sum, { weight, gap }) => {
    const p = 1 - (1 - q) * gap;
    return sum + weight * Math.exp(good * Math.log(p / q) + bad * Math.log((1 - p) / (1 - q)));
  }, 0);
}

/** No run can be shown to be better than a baseline above this. */
const HIGHEST_BASELINE = 0.999;

const BETS = [
  { gap: 0.02, weight: 0.4 },
  { gap: 0.1, weight: 0.25 },
  { gap: 0.25, weight: 0.15 },
  { gap: 0.5, weight: 0.1 },
  { gap: 0.75, weight: 0.1 },
];

/** Compares each run with the procedure to the latest earlier run without it that was not used yet. */
function compareRuns({ with: runs, without }: Case): { wins: number; losses: number } {
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

/** Positive when the first is better. Success counts more than speed; two failures are not compared. */
function compare(run: Trial, other: Trial): number {
  if (run.fine !== other.fine) return run.fine ? 1 : -1;
  if (!run.fine) return 0;
  const [mine, theirs] = run.tokens + other.tokens > 0 ? [run.tokens, other.tokens] : [run.seconds, other.seconds];
  if (mine === null || theirs === null) return 0;
  if (mine < theirs * (1 - MIN_GAIN)) return 1;
  return theirs < mine * (1 - MIN_GAIN) ? -1 : 0;
}

const Z80 = 0.8416;

/** The upper bound of the success rate at 80 % confidence (Wilson). */
function upperBound(good: number, runs: number): number {
  const [share, z2] = [good / runs, Z80 * Z80];
  const middle = share + z2 / (2 * runs);
  const width = Z80 * Math.sqrt((share * (1 - share)) / runs + z2 / (4 * runs * runs));
  return Math.min(1, (middle + width) / (1 + z2 / runs));
}

function summarizeRuns(runs: readonly Trial[]): ProcedureNumbers['with'] {
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
