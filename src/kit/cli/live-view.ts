/** The goals in progress with what they do now, and what was not accepted, as lines below what is printed on a terminal. */
import { join } from 'node:path';
import { listRejected } from '../inbox/list-rejected.ts';
import type { Goal } from '../../core/ledger/goal.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { taskGraph } from '../../core/ledger/task-graph.ts';
import type { Home } from '../../core/schema/home.ts';
import { changes } from '../views/changes.ts';
import { deskAwaitedIn, describeDeskWait } from '../views/desk-wait.ts';
import { describeWait } from '../views/event-sentence.ts';
import type { Terminal } from './io.ts';
import { type Activity, openActivity } from './live-activity.ts';
import { fitText, plainText } from './plain-text.ts';
import { pause } from '../pause.ts';

const MOST_GOALS = 8;
const MOST_REJECTED = 3;

const RETRY_MS = 1000;

/** Follows the ledger until the signal. Returns what gives the lines as they are now. */
export function openLiveView(home: Home, terminal: Terminal, signal: AbortSignal): () => string[] {
  let goals: readonly Goal[] = [];
  const activity = openActivity(home, signal);
  void followGoals(home, signal, (active) => {
    goals = active;
  });
  return () => [...activeGoalLines(goals, activity, terminal), ...rejectedLines(home, terminal)];
}

/** Starts with what is in progress, and goes on with what happens. While a ledger cannot be read nothing is shown. */
async function followGoals(home: Home, signal: AbortSignal, show: (goals: readonly Goal[]) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      const { state, end } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
      let graph = state;
      show(graph.goals);
      for await (const event of changes(home.ledgers, { run: end.seq }, { signal })) {
        graph = taskGraph.apply(graph, event);
        show(graph.goals);
      }
    } catch {
      show([]);
      await pause(RETRY_MS, signal);
    }
  }
}

function rejectedLines(home: Home, { yellow, width }: Terminal): string[] {
  const { total, entries } = listRejected(join(home.workspace, 'inbox'), MOST_REJECTED);
  if (total === 0) return [];
  const more = total > entries.length ? ` and ${total - entries.length} more` : '';
  const names = entries.map(({ name }) => plainText(name)).join(', ');
  return [yellow(fitText(`  ! not accepted, see workspace/inbox/rejected: ${names}${more}`, width))];
}

function activeGoalLines(active: readonly Goal[], activity: Activity, terminal: Terminal): string[] {
  const goals = active.slice(-MOST_GOALS);
  const more = active.length - goals.length;
  const head = more > 0 ? [terminal.dim(`  and ${more} more`)] : [];
  return [...head, ...goals.flatMap((goal) => goalLines(goal, active, activity, terminal))];
}

function goalLines(goal: Goal, all: readonly Goal[], activity: Activity, terminal: Terminal): string[] {
  const { title, status, state, nodes, waits, parent } = goal;
  const { green, yellow, dim, width } = terminal;
  const done = nodes.filter((node) => node.status === 'done').length;
  const current = nodes.find((node) => node.status === 'running')?.title ?? '';
  const desk = parent === null ? deskAwaitedIn(all, goal.run) : null;
  const mark = desk !== null ? dim('○') : status === 'running' ? green('●') : yellow('◐');
  const progress = `${parent === null ? state : 'steps'} ${done}/${nodes.length}`;
  const about = fitText(plainText(`${title}${current === '' ? '' : `: ${current}`}`), width - 8 - progress.length);
  const doing = status === 'running' ? activity.linesOf(goal.run, width - 6) : [];
  const awaited = waits.filter(
    ({ for: wait }) => wait.kind !== 'child' && (wait.kind !== 'timer' || wait.why !== undefined),
  );
  return [
    `  ${parent === null ? mark : ' '} ${about}  ${dim(progress)}`,
    ...(desk === null ? [] : [dim(fitText(`      ${plainText(describeDeskWait(desk))}`, width))]),
    ...doing.map((line) => dim(`      ${line}`)),
    ...awaited.map((wait) => yellow(fitText(`      waits for ${plainText(describeWait(wait.for))}`, width))),
  ];
}
