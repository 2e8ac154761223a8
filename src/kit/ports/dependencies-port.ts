/** What provides missing programs, as other rooms use it. */
import type { Drive } from '../../core/engine/drive.ts';
import type { OpenWait, RunState } from '../../core/engine/run-state.ts';
import type { InstallInput, Need, Receipt } from '../../core/schema/dependency.ts';
import type { Outcome, Tool } from '../../core/schema/tool.ts';
import type { WaitAnswer } from '../../core/schema/wait.ts';
import type { Remedy } from '../../rooms/dependencies/install/choose-remedy.ts';
import type { Presence } from '../../rooms/dependencies/install/find-present.ts';
import type { Diagnose } from '../../core/chain/middleware/heal.ts';

export type Deps = RequirementResolver &
  ToolRequests &
  Pick<NeedFinder, 'waitForMissing' | 'detect'> &
  Pick<NeedProvider, 'provide'> & {
    tool: Tool;
    diagnose: Diagnose;
    /** Called for every run that ends or begins to wait. */
    runSettled: (run: RunState) => Promise<void>;
    /** What was installed because one of these runs needed it, and is still there. */
    installedFor: (runs: readonly string[]) => Promise<Receipt[]>;
    /** Runs that wait for something that may be provided without a person. */
    runsToResume: () => string[];
  };

/** What became of a requirement that a person has called resolved. */
export type Resolved = { there: boolean; seen: string; drives: Drive[] };

export type RequirementResolver = {
  /** Reads what people wrote on the page, and updates the page. */
  poll: () => Promise<void>;
  /** Closes the requests for everything that is there by now. */
  notice: () => Promise<void>;
  resolve: (name: string, by: string) => Promise<Resolved>;
  /** The same in the background; a failure is recorded as a rejected intake. */
  resolveSoon: (name: string, by: string) => void;
};

export type ToolRequests = {
  install: (what: string) => Promise<Drive>;
  /** Returns the run that rebuilds a shared environment without the tool; null when nothing has to be rebuilt. */
  remove: (what: string, reason: string) => Promise<Drive | null>;
};

export type NeedFinder = {
  remedyFor: (need: Need) => Remedy;
  /** Whether it is there, as far as this can be detected without running anything. */
  detect: (need: Need) => Presence;
  /** The same, and whether it is new enough. */
  check: (need: Need) => Promise<Presence>;
  /** Whether a package is the one that meets the need. */
  isMetBy: (need: Need, input: Pick<InstallInput, 'by' | 'name'>) => boolean;
  /** The outcome that waits for the first of a task's requirements that is missing; null when all are there. */
  waitForMissing: (requires: readonly string[]) => Promise<Outcome | null>;
};

export type NeedProvider = {
  /** Answers a wait for a need; rejects when only a person can end it. Null for every other wait. */
  provide: (run: RunState, wait: OpenWait) => Promise<WaitAnswer> | null;
  /** Whether the answer to this wait is already being worked out here. */
  isProviding: (wait: string) => boolean;
};
