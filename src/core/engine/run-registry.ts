/**
 * Owns: which runs are driven right now, which are being opened, and events that were staged for a run before its drive
 * began.
 *
 * A run has at most one drive: a second one would do everything twice.
 */
import { OkaError } from '../schema/errors.ts';
import type { Event, NewEvent } from '../schema/event.ts';
import type { EventStore } from '../schema/ports.ts';
import type { Accounts } from './account.ts';
import { isInside } from './child-terms.ts';
import type { Drive } from './drive.ts';
import type { RunState } from './run-state.ts';

export type RunRegistry = {
  drives: Map<string, Drive>;
  /** What runs may still spend; those that are settled stay while a run around them counts them. */
  accounts: Accounts;
  /** Runs that are being read and are about to be driven. */
  openings: Map<string, Promise<Drive>>;
  /** Stages an event of a run without a drive; whoever continues the run flushes it. */
  stage: (event: NewEvent) => Event;
  takeUnflushed: (run: string) => Event[];
};

export function runRegistry(events: EventStore): RunRegistry {
  const unflushed = new Map<string, Event[]>();
  return {
    drives: new Map(),
    accounts: new Map(),
    openings: new Map(),
    stage: (event) => {
      const staged = events.stage(event);
      const run = staged.run ?? '';
      unflushed.set(run, [...(unflushed.get(run) ?? []), staged]);
      return staged;
    },
    takeUnflushed: (run) => {
      const staged = unflushed.get(run) ?? [];
      unflushed.delete(run);
      return staged;
    },
  };
}

/** Opens a run; until its drive is registered, others wait for this promise instead of opening it again. */
export function opening(registry: RunRegistry, id: string, open: () => Promise<Drive>): Promise<Drive> {
  const opened = open().finally(() => registry.openings.delete(id));
  registry.openings.set(id, opened);
  return opened;
}

export async function stopAll({ drives }: RunRegistry, stop: (id: string) => Promise<unknown>): Promise<void> {
  await Promise.all([...drives.keys()].map((id) => stop(id)));
}

/** Replies in conversations and descriptions of folders are not counted: no task waits for a place because of them. */
export function countActiveRuns({ drives }: RunRegistry): number {
  const isPart = ({ id, parent }: RunState): boolean =>
    parent !== null && isInside({ run: id, parent }) && drives.has(parent);
  const isCounted = (run: RunState): boolean => !/^oka\.(chat|context)$/.test(run.plan.graph.id) && !isPart(run);
  return [...drives.values()].filter(({ run }) => isCounted(run)).length;
}

/** Resolves when no run is driven any more, also none that another's end has started. */
export async function whenIdle({ drives }: RunRegistry): Promise<void> {
  while (drives.size > 0) await Promise.all([...drives.values()].map(({ done }) => done));
}

/** The run may have ended, or had its answer, in the meantime; that is no error. */
export function ignoreTooLate(error: unknown): void {
  if (!(error instanceof OkaError) || (error.code !== 'run-is-over' && error.code !== 'no-such-wait')) throw error;
}
