/** What a procedure is judged by: itself, and the runs with it and without it. */
import type { ProcedureStatus } from '../../core/schema/procedure.ts';

/** One run of the kind that the procedure is for. */
export type Trial = {
  run: string;
  at: string;
  fine: boolean;
  /** Who saw that it was wrong although every check held. */
  seen_by: 'critic' | 'person' | null;
  /** Whether it was corrected or sent back and then done in the very same way, so that no mistake is known. */
  repeated: boolean;
  tokens: number;
  seconds: number | null;
};

export type Case = {
  status: ProcedureStatus;
  /** Since when it has this status. */
  since: string;
  /** When it was last tried anew or put above the numbers by a person, and when a person promoted it; '' for never. */
  began: string;
  confirmed: string;
  forced: boolean;
  /** Whether its uses are judged by the critic as well (G4). */
  probation: boolean;
  /** The uses of its current version since it was promoted, in the order in which they ended. */
  uses: readonly Trial[];
  /** Successful executions of its steps that do not depend on each other, whoever planned them. */
  successes: number;
  lastSuccess: string | null;
  /** All runs with it, also from before it was drafted again, in the order in which they ended. */
  history: readonly Trial[];
  with: readonly Trial[];
  without: readonly Trial[];
  /** How many good runs were held back from this version of it, and what they wrote compared with what it would have. */
  compared: number;
  /** Those of them that did not write what it would have. */
  differing: readonly Differing[];
};

export type Differing = { run: string; at: string; words: readonly string[] };
