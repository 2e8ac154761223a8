/** The goals in progress and what was not accepted, as lines below what `oka up` prints on a terminal. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listRejected } from '../intake/list-rejected.ts';
import type { Goal } from '../ledger/goal.ts';
import type { TaskGraph } from '../ledger/task-graph.ts';
import type { Home } from '../schema/home.ts';
import { describeWait } from './event-sentence.ts';
import type { Terminal } from './io.ts';
import { fitText, plainText } from './plain-text.ts';

const MOST_GOALS = 8;
const MOST_REJECTED = 3;

export const liveLines = (home: Home, terminal: Terminal): string[] => [
  ...activeGoalLines(home, terminal),
  ...rejectedLines(home, terminal),
];

function rejectedLines(home: Home, { yellow, width }: Terminal): string[] {
  const { total, entries } = listRejected(join(home.workspace, 'inbox'), MOST_REJECTED);
  if (total === 0) return [];
  const more = total > entries.length ? ` and ${total - entries.length} more` : '';
  const names = entries.map(({ name }) => plainText(name)).join(', ');
  return [yellow(fitText(`  ! not accepted, see workspace/inbox/rejected: ${names}${more}`, width))];
}

/** A file that is just being replaced, or not there yet, shows nothing. */
function activeGoalLines(home: Home, terminal: Terminal): string[] {
  try {
    const file = join(home.oka, 'active_task_graph.json');
    const { state } = JSON.parse(readFileSync(file, 'utf8')) as { state: TaskGraph };
    const goals = state.goals.slice(-MOST_GOALS);
    const more = state.goals.length - goals.length;
    const head = more > 0 ? [terminal.dim(`  and ${more} more`)] : [];
    return [...head, ...goals.flatMap((goal) => goalLines(goal, terminal))];
  } catch {
    return [];
  }
}

function goalLines({ title, status, state, nodes, waits, parent }: Goal, terminal: Terminal): string[] {
  const { green, yellow, dim, width } = terminal;
  const done = nodes.filter((node) => node.status === 'done').length;
  const current = nodes.find((node) => node.status === 'running')?.title ?? '';
  const mark = status === 'running' ? green('●') : yellow('◐');
  const progress = `${parent === null ? state : 'steps'} ${done}/${nodes.length}`;
  const about = fitText(plainText(`${title}${current === '' ? '' : `: ${current}`}`), width - 8 - progress.length);
  const awaited = waits.filter(({ for: { kind } }) => kind !== 'child' && kind !== 'timer');
  return [
    `  ${parent === null ? mark : ' '} ${about}  ${dim(progress)}`,
    ...awaited.map((wait) => yellow(fitText(`      waits for ${plainText(describeWait(wait.for))}`, width))),
  ];
}
