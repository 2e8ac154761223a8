/**
 * Owns: when a procedure is promoted, demoted or retired, and when its probation ends. Pure.
 *
 * G1 Success alone proves nothing: runs with the procedure must be better than comparable runs without it. Either they
 *    fail less (an e-value of at least `e_value`), or they go well at least as often and are cheaper or faster.
 * G2 Cheaper is measured by pairs: each run with it against the latest earlier run without it that was not used yet. The
 *    evidence is an e-value, too, so that however often it is checked, one that is no cheaper is promoted in at most one
 *    case of `COST_EVIDENCE`. That error costs money, not results.
 * G3 A recent failure with the procedure prevents a promotion; two in the last five runs end its use, or its trial.
 *    One wrong result that every check let pass is enough, and so is one run without it that wrote something else
 *    (blind-checks.ts). Without any run that was held back from it, nothing has compared what it writes, and it is not
 *    promoted.
 * G4 Each use is checked by its criteria and planned again when these fail. While it is tried and in its first uses
 *    (probation) the critic judges the result as well; only then its checks are enough, until a use goes wrong. One that
 *    was corrected, and for which a model then planned the same, does not begin it again (repeated-work.ts).
 */
import type { MaintenanceConfig } from '../../core/schema/maintenance.ts';
import type { ProcedureNumbers, ProcedureStatus } from '../../core/schema/procedure.ts';
import { findDifference, findMistake } from './blind-checks.ts';
import type { Case, Trial } from './procedure-case.ts';

export type GateSettings = MaintenanceConfig['procedures'];
export type Judgement = { to: ProcedureStatus; reason: string; probation?: true };

/** Runs needed to know the baseline well enough to show that the procedure fails less. */
const MIN_BASELINE_RUNS = 20;
/** Evidence that it is cheaper: three comparisons that it won and none that it lost. */
const COST_EVIDENCE = 6;
/** Uses in a row that have to go well until the critic is no longer asked. */
const PROBATION_USES = 20;
/** The largest drop in the share of good runs that still counts as "does not fail more". */
const MAX_QUALITY_DROP = 0.15;
/** The smallest difference in cost that counts. */
const MIN_GAIN = 0.2;
/** Failures that are allowed in the latest runs. One that is only tried has to prove itself first. */
const MAX_RECENT_FAILURES = { candidate: 0, promoted: 1 } as const;

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
    contradictions: countContradictions(given.history, now, settings),
    last_validated: given.lastSuccess,
  };
}

/** Returns the new status, or null when it stays the same. */
export function judge(given: Case, numbers: ProcedureNumbers, now: string, settings: GateSettings): Judgement | null {
  switch (given.status) {
    case 'candidate':
      return (
        judgeDifference(given) ??
        judgePromotion(given, numbers, settings) ??
        judgeDemotion(given, settings, 'candidate') ??
        judgeRetirement(given, now, settings)
      );
    case 'promoted':
      return (
        judgeDifference(given) ??
        judgeDemotion(given, settings, 'promoted') ??
        judgeProbation(given) ??
        judgeRetirement(given, now, settings)
      );
    case 'demoted':
      return judgeRetirement(given, now, settings);
    case 'retired':
      return null;
  }
}

function judgePromotion(given: Case, numbers: ProcedureNumbers, settings: GateSettings): Judgement | null {
  if (missingForPromotion(given, numbers, settings).length > 0) return null;
  const { successes, e_value, wins, losses } = numbers;
  const why =
    e_value >= settings.e_value
      ? `better than without it (e = ${e_value})`
      : `cheaper than without it in ${wins} of ${wins + losses} comparisons`;
  return { to: 'promoted', reason: `${successes} independent successes, and ${why}`, probation: true };
}

/** What a candidate lacks, for a person; empty when it can be promoted. */
export function missingForPromotion(
  { compared }: Pick<Case, 'compared'>,
  numbers: ProcedureNumbers,
  settings: GateSettings,
): string[] {
  const successes = settings.least_successes - numbers.successes;
  const { contradictions } = numbers;
  return [
    ...(successes > 0 ? [`${successes} more ${successes === 1 ? 'success' : 'successes'}`] : []),
    ...(contradictions > 0
      ? [`no failure in its last ${settings.recent_runs} runs and ${settings.recent_days} days (${contradictions} now)`]
      : []),
    ...(numbers.e_value >= settings.e_value ? [] : missingEvidence(numbers)),
    ...(compared > 0 ? [] : ['a good run that was planned without it, to compare what both write']),
  ];
}

/** What is missing until it counts as cheaper and no worse (G1, G2). */
function missingEvidence({ wins, losses, with: own, without }: ProcedureNumbers): string[] {
  if (without.runs === 0) return ['a run without it to compare with'];
  if (shareOfFine(own) < shareOfFine(without) - MAX_QUALITY_DROP)
    return [`runs with it that go well as often as without it (${own.fine} of ${own.runs})`];
  let more = 0;
  while (more < 1000 && eValue(0.5, wins + more, losses) < COST_EVIDENCE) more += 1;
  return more === 0
    ? []
    : [`${more} more ${more === 1 ? 'run' : 'runs'} with it that ${more === 1 ? 'is' : 'are'} cheaper than without it`];
}

const shareOfFine = ({ runs, fine }: ProcedureNumbers['with']): number => (runs === 0 ? 1 : fine / runs);

/** What a promoted procedure lacks until its own checks are enough. */
export function missingForProof(uses: readonly Trial[]): string[] {
  const good = uses.length - 1 - uses.findLastIndex(wentWrong);
  const more = PROBATION_USES - good;
  return more <= 0 ? [] : [`${more} more ${more === 1 ? 'use' : 'uses'} in a row that the critic accepts`];
}

const wentWrong = ({ fine, repeated }: Trial): boolean => !fine && !repeated;

/** Ends the probation when enough uses in a row went well, and begins it again when one did not (G4). */
function judgeProbation({ probation, uses }: Case): Judgement | null {
  const latest = uses.slice(-PROBATION_USES);
  const failed = latest.findLast(wentWrong);
  if (!probation && failed !== undefined)
    return { to: 'promoted', reason: `${failed.run} went wrong: the critic judges its uses again`, probation: true };
  if (!probation || latest.length < PROBATION_USES || failed !== undefined) return null;
  return { to: 'promoted', reason: `${PROBATION_USES} uses in a row went well: its own checks are enough from now on` };
}

const MOST_WORDS = 5;

/** Cheaper says nothing as long as nobody knows which of two results is right. */
function judgeDifference(given: Case): Judgement | null {
  const found = findDifference(given);
  if (found === null) return null;
  const words = `${found.words.slice(0, MOST_WORDS).join(', ')}${found.words.length > MOST_WORDS ? ', …' : ''}`;
  return { to: 'demoted', reason: `${found.run}, which went well without it, did not write what it writes: ${words}` };
}

/** Demotes after recent failures (G3), also a forced procedure: a person can force it again. */
function judgeDemotion(
  given: Case,
  settings: GateSettings,
  status: keyof typeof MAX_RECENT_FAILURES,
): Judgement | null {
  const { with: runs, since } = given;
  const mistake = findMistake(given);
  if (mistake !== null)
    return {
      to: 'demoted',
      reason: `${SAW[mistake.seenBy]} the result of ${mistake.run}, which had passed its checks`,
    };
  const latest = runs.filter(({ at }) => at > since).slice(-settings.recent_runs);
  const wrong = latest.filter(({ fine }) => !fine);
  if (wrong.length <= MAX_RECENT_FAILURES[status]) return null;
  return { to: 'demoted', reason: `${wrong.length} of its last ${latest.length} runs went wrong: ${namesOf(wrong)}` };
}

const SAW = { critic: 'the critic rejected', person: 'a person corrected or undid' } as const;

const MAX_NAMED = 5;
const namesOf = (runs: readonly Trial[]): string =>
  `${runs.length > MAX_NAMED ? '…, ' : ''}${runs
    .slice(-MAX_NAMED)
    .map(({ run }) => run)
    .join(', ')}`;

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

/**
 * Compares each run with the procedure to the latest earlier run without it that was not used yet, or, where there is
 * none, to the cheapest of all earlier ones, so that a comparison that is used twice favours nobody.
 */
function compareRuns({ with: runs, without }: Case): { wins: number; losses: number } {
  const unused: Trial[] = [];
  let [next, wins, losses] = [0, 0, 0];
  let cheapest: { of: number; run: Trial | null } = { of: 0, run: null };
  for (const run of runs) {
    for (; next < without.length && (without[next]?.at ?? '') <= run.at; next += 1) unused.push(without[next] as Trial);
    if (unused.length === 0 && cheapest.of < next) cheapest = { of: next, run: cheapestRun(without.slice(0, next)) };
    const other = unused.pop() ?? cheapest.run;
    const better = other === null ? 0 : compare(run, other);
    if (better > 0) wins += 1;
    if (better < 0) losses += 1;
  }
  return { wins, losses };
}

/** The good run that cost least; null when there was none. */
function cheapestRun(runs: readonly Trial[]): Trial | null {
  const good = runs.filter(({ fine }) => fine);
  const costOf = ({ tokens, seconds }: Trial): number => (tokens > 0 ? tokens : (seconds ?? 0));
  return good.toSorted((one, other) => costOf(one) - costOf(other))[0] ?? null;
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
