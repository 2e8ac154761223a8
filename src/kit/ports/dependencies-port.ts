/** What provides missing programs, as other rooms use it. */
import type { Drive } from '../../core/engine/drive.ts';
import type { OpenWait, RunState } from '../../core/engine/run-state.ts';
import type { Need, Receipt } from '../../core/schema/dependency.ts';
import type { Outcome, Tool } from '../../core/schema/tool.ts';
import type { WaitAnswer } from '../../core/schema/wait.ts';
import type { Diagnose } from '../../core/chain/middleware/heal.ts';

export type Deps = RequirementResolver &
  ToolRequests &
  NeedFinder &
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
  /** A failure is recorded as a rejected intake, too. */
  resolve: (name: string, by: string) => Promise<Resolved>;
};

export type ToolRequests = {
  install: (what: string) => Promise<Drive>;
  /** Returns the run that rebuilds a shared environment without the tool; null when nothing has to be rebuilt. */
  remove: (what: string, reason: string) => Promise<Drive | null>;
};

/** What was seen: where it is, or that it is nowhere. */
export type Presence = {
  there: boolean;
  seen: string;
  /** Set when it cannot be checked: it is then only assumed to be there. */
  blind?: true;
};

export type NeedFinder = {
  /** Whether it is there, as far as this can be detected without running anything. */
  detect: (need: Need) => Presence;
  /** The outcome that waits for the first of a task's requirements that is missing; null when all are there. */
  waitForMissing: (requires: readonly string[]) => Promise<Outcome | null>;
};

export type NeedProvider = {
  /** Answers a wait for a need; rejects when only a person can end it. Null for every other wait. */
  provide: (run: RunState, wait: OpenWait) => Promise<WaitAnswer> | null;
  /** Whether the answer to this wait is already being worked out here. */
  isProviding: (wait: string) => boolean;
};
