/** Tidying in the background: the worker does not wait for it, one at a time, and it ends before the ledger is closed. */
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Home } from '../../core/schema/home.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';
import type { Snapshots } from '../../kit/desk/snapshots.ts';
import type { Tidied, Tidying } from '../../core/schema/room.ts';
import { tidiedEvents } from '../../kit/house/tidied-events.ts';

type BackgroundTidy = { ask: (intake: Extract<Intake, { kind: 'tidy' }>) => Promise<Tidied>; end: () => Promise<void> };

type BackgroundTidyPorts = {
  home: Home;
  ledger: Pick<LedgerPort, 'append'>;
  taskGraph: () => TaskGraph;
  tidy: (tidying: Tidying) => Promise<Tidied>;
  /** The states of the desk, of which the oldest go. */
  shadow: Pick<Snapshots, 'prune'>;
};

export function backgroundTidy({ home, ledger, taskGraph, tidy, shadow }: BackgroundTidyPorts): BackgroundTidy {
  const stop = new AbortController();
  let last: Promise<unknown> = Promise.resolve();
  const isActive = (run: string): boolean => taskGraph().goals.some((goal) => goal.run === run);
  const tidyNow = async (limits: Extract<Intake, { kind: 'tidy' }>): Promise<Tidied> => {
    if (stop.signal.aborted) throw new OkaError('refused', 'the worker ends');
    const tidied = await tidy({ home, limits, isActive, isDry: false, signal: stop.signal });
    await ledger.append(tidiedEvents(tidied));
    await shadow.prune();
    return tidied;
  };
  const failed = async (error: unknown): Promise<void> => {
    const reason = `nothing more was tidied: ${messageOf(error)}`.slice(0, 10_000);
    await ledger.append({ type: 'intake.rejected', data: { name: 'tidy', reason } });
  };
  return {
    ask: (intake) => {
      const tidied = last.then(() => tidyNow(intake));
      last = tidied.catch(failed).catch(() => undefined); // the ledger does not take it either; the next tidying tries
      return tidied;
    },
    end: async () => {
      stop.abort();
      await last;
    },
  };
}
