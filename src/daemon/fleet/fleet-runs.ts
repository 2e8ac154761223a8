/** Owns: the projection of what this home knows about its fleet: the stream it joined, and the runs it has claimed. */
import type { FleetStream } from '../../schema/fleet.ts';
import type { Projection } from '../../schema/ports.ts';

export type ClaimedRun = {
  epoch: number;
  /** The event of the last claim, and how many copies follow it. */
  seq: number;
  copied: number;
  /** Calls of an owner before of which nobody here saw the end. */
  inDoubt: string[];
};

export type FleetRuns = {
  joined: FleetStream | null;
  /** Those that are not over. */
  claimed: Record<string, ClaimedRun>;
  /** Runs that others own now; this home does not take them again. */
  fenced: string[];
  /** Tasks that were given to the fleet and have not come back. */
  sent: string[];
};

const MOST_FENCED = 10_000;

export const fleetRuns: Projection<FleetRuns> = {
  name: 'fleet_runs',
  version: 1,
  file: 'state/fleet_runs.json',
  initial: () => ({ joined: null, claimed: {}, fenced: [], sent: [] }),
  apply: (state, { type, run, seq, data }) => {
    if (type === 'fleet.joined') state.joined = data.runs;
    if (run === null) return state;
    if (type === 'run.claimed') state.claimed[run] = toClaimed(seq, data, state.claimed[run]);
    if (type === 'run.fenced') state.fenced = [...state.fenced, run].slice(-MOST_FENCED);
    if (type === 'run.fenced' || type === 'run.ended') delete state.claimed[run];
    if (type === 'task.sent') state.sent.push(run);
    if (type === 'task.returned') state.sent = state.sent.filter((each) => each !== run);
    return state;
  },
};

type Claim = { epoch: number; from?: { copied: number; in_doubt: string[] } | undefined };

function toClaimed(seq: number, { epoch, from }: Claim, before: ClaimedRun | undefined): ClaimedRun {
  if (from === undefined) return before === undefined ? { epoch, seq, copied: 0, inDoubt: [] } : { ...before, epoch };
  return { epoch, seq, copied: from.copied, inDoubt: from.in_doubt };
}
