/** The results of tasks: writing them, and those that are still to be written. */
import type { RunState } from '../../core/engine/run-state.ts';
import type { Event } from '../../core/schema/event.ts';

export type ResultReports = {
  /** Neither throws: what cannot be written now is written later. */
  runSettled: (run: RunState) => Promise<void>;
  write: (run: string) => Promise<void>;
  /** Takes note of events after which pages are to be written again (R2). */
  watch: (durable: readonly Event[]) => void;
  /** Results that are still to be written. */
  pending: PendingResults;
  close: () => Promise<void>;
};

export type PendingResults = {
  /** Marks the tasks that begin. */
  watch: (durable: readonly Event[]) => void;
  remove: (run: string) => void;
  runs: () => string[];
};
