/**
 * Owns: what a day's tasks come to, small enough to be stored a row a day, so that figures over years read no history.
 *
 * T1 A task counts on the day it ended. Taking it off again and adding it as it is now leaves the same as adding it once.
 * T2 Lists of runs name the latest only; counts, sums and times are exact.
 */
import { secondsOf, type TaskRecord, wasFine } from '../../kit/learning/task-record.ts';

/** What a task counts for; all that is stored of one that is over. */
export type TaskFigures = Pick<
  TaskRecord,
  | 'run'
  | 'started'
  | 'ended'
  | 'status'
  | 'rework'
  | 'corrected'
  | 'undone'
  | 'tokens'
  | 'usd'
  | 'approvals'
  | 'questions'
  | 'installs'
  | 'waited_ms'
  | 'desk_ms'
> & {
  plan: Pick<NonNullable<TaskRecord['plan']>, 'by'> | null;
  choice: Pick<NonNullable<TaskRecord['choice']>, 'saves'> | null;
};

export type Share = { of: number; hits: number; runs: string[] };
export type Sum = { total: number; runs: string[] };

export type DayTally = {
  ended: number;
  completion: Share;
  rework: Share;
  corrections: Share;
  firstTry: Share;
  reuse: Share;
  usd: Sum;
  tokens: Sum;
  questions: Sum;
  heals: Sum;
  /** Seconds for which tasks waited for their turn on the desk. */
  desk: Sum;
  approvals: Sum & { approved: number; denied: number };
  /** Active time of each task that is done, in ascending order, and the slowest of them with their runs. */
  seconds: number[];
  slowest: [run: string, seconds: number][];
  /** Tokens of each pack, in their order, and the runs of the largest. */
  packs: number[];
  largest: { tokens: number; runs: string[] };
  saved: Sum & { count: number; seconds: number };
};

/** A pack that was made for a prompt. */
export type Packed = { run: string; at: string; tokens: number };

const MOST_RUNS = 50;

export function emptyDay(): DayTally {
  const share = (): Share => ({ of: 0, hits: 0, runs: [] });
  const sum = (): Sum => ({ total: 0, runs: [] });
  return {
    ended: 0,
    completion: share(),
    rework: share(),
    corrections: share(),
    firstTry: share(),
    reuse: share(),
    usd: sum(),
    tokens: sum(),
    questions: sum(),
    heals: sum(),
    desk: sum(),
    approvals: { ...sum(), approved: 0, denied: 0 },
    seconds: [],
    slowest: [],
    packs: [],
    largest: { tokens: 0, runs: [] },
    saved: { ...sum(), count: 0, seconds: 0 },
  };
}

/** Adds a task that is over to its day (1), or takes it off again as it was (-1). */
export function tallyTask(day: DayTally, task: TaskFigures, sign: 1 | -1): void {
  const { run, status, plan, approvals } = task;
  const isDone = status === 'done';
  const share = (to: Share, hit: boolean, isNamed = hit): void => {
    to.of += sign;
    if (hit) to.hits += sign;
    nameRun(to, run, isNamed, sign);
  };
  const sum = (to: Sum, amount: number): void => {
    to.total += sign * amount;
    nameRun(to, run, amount > 0, sign);
  };
  day.ended += sign;
  share(day.completion, isDone, !isDone);
  share(day.rework, task.rework > 0);
  if (isDone) share(day.corrections, task.corrected !== null || task.undone);
  share(day.firstTry, wasFine(task));
  if (plan !== null && plan.by !== 'runbook') share(day.reuse, plan.by === 'procedure');
  sum(day.usd, task.usd);
  sum(day.tokens, task.tokens);
  sum(day.questions, task.questions);
  sum(day.heals, task.installs.length);
  sum(day.desk, (task.desk_ms ?? 0) / 1000);
  sum(day.approvals, approvals.asked);
  day.approvals.approved += sign * approvals.approved;
  day.approvals.denied += sign * approvals.denied;
  if (isDone) tallyTime(day, run, secondsOf(task) ?? 0, sign);
  tallySaved(day, task, sign);
}

export function tallyPack(day: DayTally, { run, tokens }: Packed): void {
  day.packs.push(tokens);
  if (tokens > day.largest.tokens) day.largest = { tokens, runs: [run] };
  else if (tokens === day.largest.tokens) appendNewRun(day.largest, run);
}

/** What comparable tasks took without the procedure, less what this one took; a task that was not done saved nothing. */
function tallySaved({ saved }: DayTally, task: TaskFigures, sign: 1 | -1): void {
  const usual = task.status === 'done' && task.plan?.by === 'procedure' ? task.choice?.saves : null;
  if (usual == null) return;
  saved.count += sign;
  saved.total += sign * (usual.tokens === null ? 0 : usual.tokens - task.tokens);
  saved.seconds += sign * (usual.seconds === null ? 0 : usual.seconds - (secondsOf(task) ?? usual.seconds));
  nameRun(saved, task.run, true, sign);
}

/** A day, or many: then there are so many numbers that they are not in ordinary arrays. */
export type Tally = Omit<DayTally, 'seconds' | 'packs'> & { seconds: ArrayLike<number>; packs: ArrayLike<number> };

/** Several days, in their order, as one. */
export function mergeDays(days: readonly DayTally[]): Tally {
  const all: Tally = emptyDay();
  for (const day of days) {
    all.ended += day.ended;
    for (const name of ['completion', 'rework', 'corrections', 'firstTry', 'reuse'] as const) {
      all[name].of += day[name].of;
      all[name].hits += day[name].hits;
    }
    for (const name of ['usd', 'tokens', 'questions', 'heals', 'desk', 'approvals', 'saved'] as const)
      all[name].total += day[name].total;
    all.approvals.approved += day.approvals.approved;
    all.approvals.denied += day.approvals.denied;
    all.saved.count += day.saved.count;
    all.saved.seconds += day.saved.seconds;
    mergeLargest(all, day);
  }
  for (const name of NAMING) all[name].runs = latestRuns(days, name);
  all.packs = joinNumbers(days.map(({ packs }) => packs));
  all.seconds = joinNumbers(days.map(({ seconds }) => seconds)).toSorted();
  all.slowest = slowestIn(days);
  return all;
}

function joinNumbers(lists: readonly (readonly number[])[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const list of lists) {
    all.set(list, at);
    at += list.length;
  }
  return all;
}

const NAMING = [
  'completion',
  'rework',
  'corrections',
  'firstTry',
  'reuse',
  'usd',
  'tokens',
  'questions',
  'heals',
  'desk',
  'approvals',
  'saved',
] as const;

/** Goes back only as far as there is something to name. */
function latestRuns(days: readonly DayTally[], name: (typeof NAMING)[number]): string[] {
  let runs: string[] = [];
  for (let at = days.length - 1; at >= 0 && runs.length < MOST_RUNS; at -= 1) {
    const more = days[at]?.[name].runs ?? [];
    if (more.length > 0) runs = [...more, ...runs];
  }
  return runs.slice(-MOST_RUNS);
}

/** Of tasks that took equally long, the latest. */
function slowestIn(days: readonly DayTally[]): DayTally['slowest'] {
  let found: DayTally['slowest'] = [];
  for (const { slowest } of days.toReversed()) {
    const least = found.length < MOST_RUNS ? Number.NEGATIVE_INFINITY : (found[0]?.[1] ?? 0);
    const slower = slowest.filter(([, seconds]) => seconds > least);
    if (slower.length > 0) found = slowestOf([...slower, ...found]);
  }
  return found;
}

function mergeLargest(all: Tally, { largest }: DayTally): void {
  if (largest.tokens > all.largest.tokens) all.largest = { ...largest, runs: [...largest.runs] };
  else if (largest.tokens === all.largest.tokens)
    all.largest.runs = [...new Set([...all.largest.runs, ...largest.runs])].slice(-MOST_RUNS);
}

function tallyTime(day: DayTally, run: string, seconds: number, sign: 1 | -1): void {
  if (sign === 1) {
    day.seconds.splice(placeOf(day.seconds, seconds), 0, seconds);
    noteSlow(day.slowest, run, seconds);
    return;
  }
  const at = day.seconds.lastIndexOf(seconds);
  if (at !== -1) day.seconds.splice(at, 1);
  day.slowest = day.slowest.filter(([other]) => other !== run);
}

/** Where a number belongs in an ascending list, behind its equals. */
function placeOf(sorted: readonly number[], number: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `slowest` is in ascending order; of equals the latest come last. */
function noteSlow(slowest: DayTally['slowest'], run: string, seconds: number): void {
  if (slowest.length >= MOST_RUNS && seconds < (slowest[0]?.[1] ?? 0)) return;
  let at = slowest.length;
  while (at > 0 && (slowest[at - 1]?.[1] ?? 0) > seconds) at -= 1;
  slowest.splice(at, 0, [run, seconds]);
  if (slowest.length > MOST_RUNS) slowest.shift();
}

function slowestOf(times: DayTally['slowest']): DayTally['slowest'] {
  return times.toSorted(([, a], [, b]) => a - b).slice(-MOST_RUNS);
}

/** A task counts once on its day (T1), so a run that is named is not in the list yet. */
function nameRun(list: { runs: string[] }, run: string, isNamed: boolean, sign: 1 | -1): void {
  if (!isNamed) return;
  if (sign === 1) appendRun(list, run);
  else list.runs = list.runs.filter((other) => other !== run);
}

function appendNewRun(list: { runs: string[] }, run: string): void {
  if (!list.runs.includes(run)) appendRun(list, run);
}

function appendRun({ runs }: { runs: string[] }, run: string): void {
  runs.push(run);
  if (runs.length > MOST_RUNS) runs.shift();
}
