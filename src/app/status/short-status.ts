/** What `oka` alone prints in a folder that is set up: how it stands in ten lines, the last of which is what to do next. */
import { join } from 'node:path';
import type { Goal } from '../../core/ledger/goal.ts';
import type { WaitFor } from '../../core/schema/wait.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { fitText, plainText } from '../../kit/cli/plain-text.ts';
import { answerHint, describeWait } from '../../kit/views/event-sentence.ts';
import type { Status } from './read-status.ts';

/** Also where nobody says how wide the terminal is. */
const WIDEST = 100;
const MOST_WAITING = 3;
const MOST_RUNNING = 2;
const MOST_ENDED = 2;

type Awaited = { title: string; run: string; wait: string; for: WaitFor };

export function shortStatusText(status: Status, terminal: Terminal): string {
  const { bold, dim, green, red, yellow } = terminal;
  const { worker, silent_ms, goals, ended } = status;
  const awaited = awaitedIn(goals);
  const asking = new Set(awaited.map(({ run }) => run));
  const running = goals.filter(({ run, parent }) => parent === null && !asking.has(run));
  const problem = problemOf(status, awaited);
  const state =
    worker === null ? yellow('not running') : silent_ms === null ? green('running') : red('does not respond');
  const line = (name: string, text: string): string =>
    `  ${name.padEnd(9)} ${fitText(text, Math.min(terminal.width, WIDEST) - 12)}`;
  const listed = <T>(name: string, all: readonly T[], most: number, say: (each: T) => string): string[] => [
    ...all.slice(0, most).map((each, index) => line(index === 0 ? name : '', say(each))),
    ...(all.length > most ? [dim(line('', `and ${all.length - most} more`))] : []),
  ];
  const tasks = ended.filter(({ parent }) => parent === null).toReversed();
  return `${[
    `${bold('oka')} in ${status.dir}: ${state}`,
    ...(problem.what === null ? [] : [line('problem', plainText(problem.what))]),
    ...listed('needs you', awaited, MOST_WAITING, ({ title, for: each }) =>
      plainText(`${title} waits for ${describeWait(each)}`),
    ),
    ...listed('working', running, MOST_RUNNING, ({ title }) => plainText(title)),
    ...tasks
      .slice(0, MOST_ENDED)
      .map(({ title, status: how }, index) => line(index === 0 ? 'finished' : '', plainText(`${title}: ${how}`))),
    `${bold('Next:')} ${problem.next}`,
  ].join('\n')}\n`;
}

/** What people are asked, each under the task that it belongs to. */
function awaitedIn(goals: readonly Goal[]): Awaited[] {
  const byRun = new Map(goals.map((goal) => [goal.run, goal]));
  const top = (goal: Goal): Goal => {
    const above = goal.parent === null ? undefined : byRun.get(goal.parent);
    return above === undefined ? goal : top(above);
  };
  return goals.flatMap((goal) =>
    goal.waits
      .filter(({ for: { kind } }) => kind !== 'child' && kind !== 'timer' && kind !== 'turn')
      .map(({ wait, for: each }) => ({ title: top(goal).title, run: top(goal).run, wait, for: each })),
  );
}

/** The first thing that somebody should see to, and the command for it. */
function problemOf(status: Status, awaited: readonly Awaited[]): { what: string | null; next: string } {
  const { dir, ledger, history_problem, rules_problem, stopped_by, paused, worker, silent_ms, rejected } = status;
  const [first, second] = awaited;
  if (ledger.fault !== null) return { what: 'the ledger is damaged', next: 'oka verify' };
  if (history_problem !== null) return { what: history_problem.what, next: history_problem.fix };
  if (rules_problem !== null)
    return {
      what: rules_problem,
      next: `correct the line in ${join(dir, '.oka', 'rules')}; oka continues automatically`,
    };
  if (stopped_by === 'file') return { what: 'everything is stopped', next: `rm ${join(dir, '.oka', 'STOP')}` };
  if (stopped_by === 'fleet') return { what: 'the fleet is stopped', next: 'oka fleet resume' };
  if (worker === null) return { what: null, next: 'oka up' };
  if (silent_ms !== null) return { what: 'the worker does not respond', next: 'oka doctor' };
  if (paused) return { what: 'no new task begins', next: 'oka unpause' };
  if (first !== undefined) {
    const name = second?.run === first.run ? first.wait : first.run;
    return { what: null, next: answerHint(first.for, name) };
  }
  if (rejected.total > 0)
    return { what: `${rejected.total} in the inbox not accepted`, next: 'oka status   (says why)' };
  return { what: null, next: 'oka add "…"   (or oka web link, for the dashboard; all commands: oka --help)' };
}
