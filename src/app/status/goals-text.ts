/** The tasks that are at work in `oka status`, and what they wait for. Loaded where there are some. */
import { type Goal, standingOf } from '../../core/ledger/goal.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { count, fitText, indentWrapped, plainText } from '../../kit/cli/plain-text.ts';
import { deskAwaitedIn, describeDeskWait } from '../../kit/views/desk-wait.ts';
import { answerHint, describeWait } from '../../kit/views/event-sentence.ts';
import { fleetLines } from '../../rooms/fleet/fleet-text.ts';
import type { Status } from './read-status.ts';

/** What is active in this home, and what the fleet has of it. */
export function goalsText({ goals, asked, fleet }: Status, terminal: Terminal): string[] {
  const tops = topGoals(goals);
  const waiting = goals.flatMap((goal) => goal.waits.filter(isForPeople)).length + asked.length;
  return [
    `  goals   ${goals.length + waiting === 0 ? terminal.dim('none active') : `${tops.length} active, ${waitingText(waiting)}`}`,
    ...tops.flatMap((goal) => goalLines(goal, goals, terminal)),
    ...fleetLines(fleet, asked, terminal),
  ];
}

/** Runs inside others are shown with them. */
function topGoals(goals: readonly Goal[]): Goal[] {
  const active = new Set(goals.map(({ run }) => run));
  return goals.filter(({ parent }) => parent === null || !active.has(parent));
}

function goalLines(goal: Goal, all: readonly Goal[], terminal: Terminal): string[] {
  const { dim, green, yellow, width } = terminal;
  const done = goal.nodes.filter((node) => node.status === 'done').length;
  const progress = goal.nodes.length === 0 ? goal.state : `${goal.state} ${done}/${goal.nodes.length}`;
  const status = standingOf(goal, (run) => all.find((each) => each.run === run));
  const desk = deskAwaitedIn(all, goal.run);
  const isAtWork = status === 'running' && desk === null;
  const mark = isAtWork ? green('●') : status === 'blocked' ? yellow('◐') : dim('○');
  const title = fitText(plainText(goal.title), width - 8 - progress.length - goal.run.length);
  const inside = all.filter(({ parent }) => parent === goal.run);
  return [
    `  ${mark} ${title}  ${dim(goal.run)}  ${progress}`,
    ...(goal.status === 'paused' ? [yellow(`      paused; continue it with: oka resume ${goal.run}`)] : []),
    ...inside.map((each) => stepLine(each, terminal)),
    ...(desk === null ? [] : [dim(indentWrapped(plainText(describeDeskWait(desk)), '      ', terminal))]),
    ...waitLines([goal, ...inside], goal.run, terminal),
  ];
}

function stepLine({ nodes }: Goal, { width }: Terminal): string {
  const done = nodes.filter((node) => node.status === 'done').length;
  const current = nodes.find((node) => node.status === 'running' || node.status === 'waiting');
  const about = current === undefined ? '' : `: ${plainText(current.title)}`;
  return fitText(`      ${done} of ${count(nodes.length, 'step')} done${about}`, width);
}

/** A unique beginning of its name answers a wait: the run, unless it waits for more than one thing. */
function waitLines(goals: readonly Goal[], run: string, terminal: Terminal): string[] {
  const { yellow, dim } = terminal;
  const waits = goals.flatMap((goal) => goal.waits);
  const answerable = waits.filter(isForPeople).length;
  return waits
    .filter(
      (wait) =>
        isForPeople(wait) || wait.for.kind === 'turn' || (wait.for.kind === 'timer' && wait.for.why !== undefined),
    )
    .flatMap(({ wait, for: awaited }) => [
      yellow(indentWrapped(`waits for ${describeWait(awaited)}`, '      ', terminal)),
      dim(`      ${answerHint(awaited, answerable === 1 ? run : wait)}`),
    ]);
}

function isForPeople({ for: { kind } }: Goal['waits'][number]): boolean {
  return kind !== 'child' && kind !== 'timer' && kind !== 'turn';
}

function waitingText(waiting: number): string {
  if (waiting === 0) return 'nothing waits for you';
  return waiting === 1 ? '1 waits for you' : `${waiting} wait for you`;
}
