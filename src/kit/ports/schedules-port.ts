/** The clock of schedules, as the worker and requests use it. */
import type { Schedules } from '../schedule/schedule-state.ts';
import type { SlotCame } from '../schedule/slots.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { Log } from '../log-line.ts';

export type SchedulesPort = {
  readonly folder: string;
  state: () => Schedules;
  now: () => number;
  /** From now on `poll` checks the clock. */
  activate: (log: Log) => void;
  poll: () => Promise<void>;
  /** Reads the files again, at once. */
  readFiles: () => Promise<void>;
  /** Records every time that has come, whether or not the clock is on. */
  tick: () => Promise<SlotCame[]>;
  /** A person has said whether this folder is the home, which was copied. */
  claimPlace: () => void;
  append: (events: readonly NewEvent[]) => Promise<void>;
  /** Whether there is a run of this name, or will be. */
  hasRun: (run: string) => Promise<boolean>;
};
