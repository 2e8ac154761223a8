/** Owns: that a run does nothing but wait for its turn on the desk, for whom and since when, as people see it. Pure. */
import { awaitedDesk, type DeskWait, type Goal, standingOf } from '../../core/ledger/goal.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { AwaitedDesk } from '../../core/schema/view-answers.ts';
import { openRuns, rowKey, type RunRow, storedRun } from './run-rows.ts';

/** `all` are the goals that are not over, with the runs inside the one that is asked about. */
export function deskAwaitedIn(all: readonly Goal[], run: string): AwaitedDesk | null {
  return deskAwaited(
    run,
    (top) => goalsWithin(all, top),
    (behind) => {
      const goal = all.find((each) => each.run === behind);
      return goal === undefined ? null : topOf(all, goal);
    },
  );
}

function topOf(all: readonly Goal[], goal: Goal): Goal {
  const parent = all.find((each) => each.run === goal.parent);
  return parent === undefined ? goal : topOf(all, parent);
}

const goalsWithin = (all: readonly Goal[], run: string): Goal[] => all.filter((goal) => topOf(all, goal).run === run);

/** How many goals are at work, not counting those that only wait for the desk. */
export function goalsAtWork(all: readonly Goal[]): number {
  const find = (run: string): Goal | undefined => all.find((each) => each.run === run);
  return topsOf(all).filter((goal) => standingOf(goal, find) === 'running').length - goalsAwaitingDesk(all);
}

export function goalsAwaitingDesk(all: readonly Goal[]): number {
  if (!all.some(({ desk }) => desk !== undefined)) return 0;
  return topsOf(all).filter(({ run }) => firstDeskWait(goalsWithin(all, run)) !== null).length;
}

function topsOf(all: readonly Goal[]): Goal[] {
  const open = new Set(all.map(({ run }) => run));
  return all.filter(({ parent }) => parent === null || !open.has(parent));
}

/** The same of a run of the view of runs; reads only what is open. */
export function storedDeskWait(rows: Rows, { run, ended }: Pick<RunRow, 'run' | 'ended'>): AwaitedDesk | null {
  if (ended !== null) return null;
  const open = openRuns(rows).flatMap((received) => rows.get<RunRow>(rowKey(received)) ?? []);
  return deskAwaited(
    run,
    (top) => open.filter((row) => row.run === top || row.root === top),
    (behind) => {
      const row = storedRun(rows, storedRun(rows, behind)?.root ?? behind);
      return row?.ended === null ? row : null;
    },
  );
}

/** One that is at work in any of its parts does not wait. */
function firstDeskWait(all: readonly Goal[]): DeskWait | null {
  const waits = all.filter(({ status }) => status === 'running').map(awaitedDesk);
  const [first] = waits.flatMap((each) => each ?? []).toSorted((a, b) => (a.since < b.since ? -1 : 1));
  return first === undefined || waits.includes(null) ? null : first;
}

/** Whoever waits is recorded behind the one whose turn is before; people are told who works there now. */
function deskAwaited(
  run: string,
  within: (run: string) => readonly Goal[],
  findTop: (run: string) => Pick<Goal, 'run' | 'title'> | null,
): AwaitedDesk | null {
  const wait = firstDeskWait(within(run));
  if (wait === null) return null;
  const passed = new Set([run]);
  let before = wait.behind === null ? null : findTop(wait.behind);
  while (before !== null && !passed.has(before.run)) {
    passed.add(before.run);
    const behind = firstDeskWait(within(before.run))?.behind ?? null;
    if (behind === null) break;
    before = findTop(behind) ?? before;
  }
  return { since: wait.since, run: before?.run ?? null, title: before?.title ?? null };
}

/** Such as "waits for the desk: Back up photos (since 4 min)". */
export function describeDeskWait({ title, since }: AwaitedDesk, now = Date.now()): string {
  return `waits for the desk${title === null ? '' : `: ${title}`} (since ${roughly(now - Date.parse(since))})`;
}

function roughly(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`;
}
