/**
 * Owns: executing runs in this process, by its engine: the backend of one machine.
 *
 * A failure to execute a run, such as a full disk, reaches whoever waits for it, also when it comes before they do.
 */
import { availableParallelism } from 'node:os';
import type { Config } from '../../core/schema/config.ts';
import type { RunState } from '../../core/engine/run-state.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Execution, ExecutionBackend, SettledRun } from '../../core/schema/ports.ts';
import type { Runs } from '../ports/port-types.ts';

const LEAST_SLOTS = 4;

/** How many tasks are worked on at once. */
export const slotsOf = ({ inbox }: Pick<Config, 'inbox'>): number =>
  inbox.parallel ?? Math.max(LEAST_SLOTS, Math.min(64, availableParallelism()));

type LocalRuns = Pick<Runs, 'start' | 'startLinked' | 'resume' | 'stop' | 'whenSettled' | 'activeRuns'>;

export function localBackend(runs: LocalRuns, slots: number): ExecutionBackend {
  /** Runs that were started here and have not settled, or whose failure nobody has seen yet. */
  const started = new Map<string, Promise<RunState>>();
  const forget = (run: string, done: Promise<RunState>): void => {
    if (started.get(run) === done) started.delete(run);
  };
  return {
    name: 'local',
    capabilities: () => ({ slots, busy: runs.activeRuns() }),
    start: async (execution) => {
      const { run, done } = await begin(runs, execution);
      started.set(run.id, done);
      done.then(
        () => forget(run.id, done),
        () => undefined,
      );
      return run.id;
    },
    signal: async (run, signal) => toSettled(await runs.stop(run, signal)),
    wait: async (run) => {
      const done = started.get(run);
      try {
        return toSettled((await (done ?? runs.whenSettled(run))) ?? missing(run));
      } finally {
        if (done !== undefined) forget(run, done);
      }
    },
  };
}

function begin(runs: LocalRuns, execution: Execution): ReturnType<LocalRuns['start']> {
  switch (execution.kind) {
    case 'start': {
      const { kind: _, run: id, graph, ...options } = execution;
      return runs.start(graph, { id, ...options });
    }
    case 'linked': {
      const { kind: _, run: id, ...options } = execution;
      return runs.startLinked({ id, ...options });
    }
    case 'resume':
      return runs.resume(execution.run, { reason: execution.reason });
  }
}

const toSettled = ({ id, status, reason }: RunState): SettledRun => ({ run: id, status, reason });

function missing(run: string): never {
  throw new OkaError('no-such-run', `there is no run "${run}"`);
}
