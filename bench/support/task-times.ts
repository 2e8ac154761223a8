/** How long tasks took besides their commands. */
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Home } from '../../src/core/schema/home.ts';

/** Of each task that has ended, by its name: the time between task.received and run.ended without what its command took. */
export async function taskTimes(home: Home): Promise<Map<string, number>> {
  const received = new Map<string, number>();
  const commands = new Map<string, number>();
  const times = new Map<string, number>();
  for await (const { type, run, at, data } of readEvents(home.ledgers.run)) {
    if (run === null) continue;
    if (type === 'task.received') received.set(run, Date.parse(at));
    if (type === 'call.ended' && data.node === 'one-step') commands.set(taskOf(run), data.usage?.ms ?? 0);
    const from = type === 'run.ended' ? received.get(run) : undefined;
    if (from !== undefined) times.set(run, Date.parse(at) - from - (commands.get(run) ?? 0));
  }
  return times;
}

/** The steps of a task are a run inside it, named after it. */
const taskOf = (run: string): string => run.split('.', 1)[0] ?? run;
