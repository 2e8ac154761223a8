/** Finds what a person names: a run, or something a run waits for, by its name or by a beginning that only it has. */
import { readGiven } from '../fleet/given-tasks.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { type TaskGraph, taskGraph } from '../../core/ledger/task-graph.ts';
import { isInside } from '../../core/engine/child-terms.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { WaitFor } from '../../core/schema/wait.ts';
import { runNamesWith, storedRun } from '../views/run-rows.ts';
import type { Call } from './command-module.ts';
import { onlyOperand } from './operands.ts';
import { type ReadingCall, readRuns } from './read-one-view.ts';

const MOST_NAMED = 5;

/** The name of the one run that the command is about. */
export function runOperand(call: ReadingCall & Pick<Call, 'operands'>): Promise<string> {
  if (call.operands.length === 0)
    throw new OkaError('usage', 'say which run; the start of its name is enough', { fix: 'List the runs: oka runs' });
  return findRunName(call, onlyOperand(call, 'run'));
}

/** The whole name of a run. Runs inside others are found by their whole name only. */
export async function findRunName(call: ReadingCall, given: string): Promise<string> {
  if (hasRun(await readTaskGraph(call.home), given)) return given;
  const { sent } = await readGiven(call.home);
  const away = sent.filter((task) => task.startsWith(given));
  const names = away.includes(given) ? away : [...(await readRuns(call, (rows) => candidates(rows, given))), ...away];
  return onlyName(given, [...new Set(names)], 'run', { none: 'no-such-run', fix: 'List the runs: oka runs' });
}

/** Saves opening the views, which takes longer than most commands. */
const hasRun = ({ goals, ended }: TaskGraph, name: string): boolean =>
  [...goals, ...ended].some(({ run }) => run === name);

function candidates(rows: Rows, given: string): string[] {
  const names = runNamesWith(rows, given);
  if (names.includes(given)) return [given];
  return names.filter((run) => {
    const row = storedRun(rows, run);
    return row === undefined || !isInside(row);
  });
}

export type OpenWait<For extends WaitFor = WaitFor> = { wait: string; for: For };

/** Everything that runs wait for now, besides other runs; also tasks of this home that others in its fleet work on. */
export async function readOpenWaits(home: Home): Promise<OpenWait[]> {
  const { goals } = await readTaskGraph(home);
  const { waits: asked } = await readGiven(home);
  return [...goals.flatMap(({ waits }) => waits).filter(({ for: { kind } }) => kind !== 'child'), ...asked];
}

/** The wait with this name, or the only one whose name begins so. */
export function findWait<For extends WaitFor>(given: string, waits: readonly OpenWait<For>[]): OpenWait<For> {
  const names = waits.map(({ wait }) => wait).filter((wait) => wait.startsWith(given));
  const name = onlyName(given, names, 'wait', { none: 'no-such-wait', fix: 'See what waits: oka status' });
  const found = waits.find(({ wait }) => wait === name);
  if (found === undefined) throw new Error(`the wait ${name} is not there`);
  return found;
}

function onlyName(
  given: string,
  names: readonly string[],
  what: 'run' | 'wait',
  { none, fix }: { none: 'no-such-run' | 'no-such-wait'; fix: string },
): string {
  const [first, ...others] = names.includes(given) ? [given] : names;
  if (first !== undefined && others.length === 0) return first;
  if (first === undefined)
    throw new OkaError(none, what === 'run' ? `there is no run "${given}"` : `nothing waits for "${given}"`, { fix });
  const shown = names.toSorted().slice(0, MOST_NAMED);
  const more = names.length > shown.length ? ', or another' : '';
  throw new OkaError('usage', `"${given}" can be ${shown.join(' or ')}${more}`, { fix: 'Give more of the name.' });
}

async function readTaskGraph(home: Home): Promise<TaskGraph> {
  return (await peekProjection(home.ledgers.run, home.oka, taskGraph)).state;
}
