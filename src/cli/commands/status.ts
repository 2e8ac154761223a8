import type { Home } from '../../schema/home.ts';
import { isSetUp } from '../../daemon/home/set-up.ts';
import { peek } from '../../ledger/peek.ts';
import { penHolder } from '../../ledger/pen.ts';
import type { Goal } from '../../ledger/goal.ts';
import { taskGraph } from '../../ledger/task-graph.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Call, exits } from '../command.ts';
import { howToAnswer, waitedFor } from '../story.ts';
import { bold, bytes, count, dim, fitted, green, plain, red, WIDTH, yellow } from '../terminal.ts';

export async function run({ home, json, out, flag }: Call): Promise<number> {
  if (flag('health')) return health(home, json, out);
  if (!isSetUp(home))
    throw new OkaError('not-set-up', `${home.dir} is not set up`, { fix: `Run: oka init --dir ${home.dir}` });
  const worker = penHolder(home.ledgers.run);
  const { state, end, fault } = await peek(home.ledgers.run, home.oka, taskGraph);
  if (json) {
    out(
      `${JSON.stringify({ dir: home.dir, worker, ledger: { events: end.seq, bytes: end.offset, head: end.hash, fault }, goals: state.goals, ended: state.ended })}\n`,
    );
    return exits.ok;
  }
  const tops = topsOf(state.goals);
  const waiting = state.goals.flatMap((goal) => goal.waits.filter(isForPeople));
  out(`${bold('oka')} in ${home.dir}\n`);
  out(
    `  worker  ${worker === null ? dim('not running') : `${green('running')}, process ${worker.pid} on ${worker.host} since ${worker.since}`}\n`,
  );
  out(
    `  ledger  ${count(end.seq, 'event')}, ${bytes(end.offset)}${end.seq === 0 ? '' : `, head ${end.hash.slice(0, 12)}`}\n`,
  );
  if (fault !== null)
    out(
      `          ${red(`does not hold at seq ${fault.seq}, byte ${fault.offset}`)}: ${fault.reason}; see oka verify\n`,
    );
  out(
    `  goals   ${state.goals.length === 0 ? dim('none active') : `${tops.length} active, ${waitingWords(waiting.length)}`}\n`,
  );
  for (const goal of tops) out(`${goalLines(goal, state.goals).join('\n')}\n`);
  return exits.ok;
}

/** For supervisors and containers, which ask often: asks the kernel who holds the pen, and reads no ledger. */
function health(home: Home, json: boolean, out: (text: string) => void): number {
  const worker = penHolder(home.ledgers.run);
  const words = worker === null ? 'no worker is running' : `process ${worker.pid} is working since ${worker.since}`;
  out(json ? `${JSON.stringify({ healthy: worker !== null, worker })}\n` : `${words}\n`);
  return worker === null ? exits.no : exits.ok;
}

function waitingWords(waiting: number): string {
  if (waiting === 0) return 'nothing waits for you';
  return waiting === 1 ? '1 waits for you' : `${waiting} wait for you`;
}

/** Runs inside others are told with them. */
function topsOf(goals: readonly Goal[]): Goal[] {
  const active = new Set(goals.map(({ run }) => run));
  return goals.filter(({ parent }) => parent === null || !active.has(parent));
}

function goalLines(goal: Goal, all: readonly Goal[]): string[] {
  const done = goal.nodes.filter((node) => node.status === 'done').length;
  const progress = goal.nodes.length === 0 ? goal.state : `${goal.state} ${done}/${goal.nodes.length}`;
  const mark = goal.status === 'running' ? green('●') : goal.status === 'blocked' ? yellow('◐') : dim('○');
  const title = fitted(plain(goal.title), WIDTH - 8 - progress.length - goal.run.length);
  const inside = all.filter(({ parent }) => parent === goal.run);
  return [
    `  ${mark} ${title}  ${dim(goal.run)}  ${progress}`,
    ...inside.flatMap(stepLines),
    ...[goal, ...inside].flatMap(waitLines),
  ];
}

function stepLines({ nodes }: Goal): string[] {
  const done = nodes.filter((node) => node.status === 'done').length;
  const current = nodes.find((node) => node.status === 'running' || node.status === 'waiting');
  const about = current === undefined ? '' : `: ${plain(current.title)}`;
  return [fitted(`      ${done} of ${count(nodes.length, 'step')} done${about}`, WIDTH)];
}

function waitLines({ waits }: Goal): string[] {
  return waits
    .filter(isForPeople)
    .flatMap(({ wait, for: awaited }) => [
      yellow(fitted(`      waits for ${plain(waitedFor(awaited))}`, WIDTH)),
      dim(`      ${howToAnswer(awaited.kind, wait)}`),
    ]);
}

function isForPeople({ for: { kind } }: Goal['waits'][number]): boolean {
  return kind !== 'child' && kind !== 'timer';
}
