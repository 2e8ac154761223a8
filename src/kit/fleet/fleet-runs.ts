/** Owns: the projection of what this home knows about its fleet: the stream it joined, and the runs it has claimed. */
import type { FleetStream, RunClaimed } from '../../core/schema/fleet.ts';
import type { TaskAsked } from '../../core/schema/fleet-requests.ts';
import type { Projection } from '../../core/schema/ports.ts';
import type { ProjectionsPort } from '../ports/port-types.ts';

export type ClaimedRun = {
  epoch: number;
  /** The event of the last claim, and how many copies follow it. */
  seq: number;
  copied: number;
  /** Copies that are not there: a crash has cut them short. */
  missing: number;
  /** Calls of an owner before of which nobody here saw the end. */
  inDoubt: string[];
  /** That owner: its last message, and when it lets out no more. */
  before: { worker: string; heard: string | null; quiet: string | null } | null;
};

export type FleetRuns = {
  joined: FleetStream | null;
  /** Those that are not over. */
  claimed: Record<string, ClaimedRun>;
  /** Runs that others own now. */
  fenced: string[];
  /** The claims with which runs were taken over from the stream: what this ledger has of them from before does not count. */
  takenOver: Record<string, number>;
  /** Tasks that were given to the fleet and have not come back. */
  sent: string[];
  /** The last of those that have come back. */
  returned: string[];
  /** The list of the files that went with such a task, in the object store of the fleet. */
  folders: Record<string, string>;
  /** What those of them ask that others work on. */
  asked: Record<string, TaskAsked>;
  halts: Halts;
};

/** The orders that this member follows. */
export type Halts = { isStopped: boolean; isDrained: boolean };

const MOST_REMEMBERED = 10_000;

export const fleetRuns: Projection<FleetRuns> = {
  name: 'fleet_runs',
  version: 7,
  initial: () => ({
    joined: null,
    claimed: {},
    fenced: [],
    takenOver: {},
    sent: [],
    returned: [],
    folders: {},
    asked: {},
    halts: { isStopped: false, isDrained: false },
  }),
  apply: (state, { type, run, seq, data }) => {
    if (type === 'fleet.joined') state.joined = data.runs;
    if (type === 'fleet.ordered') applyOrder(state.halts, data.order);
    if (run === null) return state;
    if (type === 'run.claimed') applyClaim(state, run, seq, data);
    else countCopy(state, run);
    if (type === 'run.fenced') state.fenced = [...state.fenced, run].slice(-MOST_REMEMBERED);
    if (type === 'run.fenced' || type === 'run.ended') delete state.claimed[run];
    if (type === 'task.sent') applySent(state, run, data.folder);
    if (type === 'task.asked') state.asked[run] = data;
    if (isUnasked(type, data)) delete state.asked[run];
    if (type === 'task.returned') applyReturned(state, run);
    return state;
  },
};

function applySent(state: FleetRuns, run: string, folder: string | undefined): void {
  state.sent.push(run);
  if (folder !== undefined) state.folders[run] = folder;
}

function applyReturned(state: FleetRuns, run: string): void {
  state.sent = state.sent.filter((each) => each !== run);
  state.returned = [...state.returned, run].slice(-MOST_REMEMBERED);
  delete state.folders[run];
}

/** Also when it has come back since: a home that was killed finds its file in the inbox again. */
export const wasSent = ({ sent, returned }: FleetRuns, task: string): boolean =>
  sent.includes(task) || returned.includes(task);

/** The task came back or is done here, or nothing is open any more. */
const isUnasked = (type: string, data: unknown): boolean =>
  type === 'task.returned' ||
  type === 'run.claimed' ||
  (type === 'task.asked' && (data as TaskAsked).waits.length === 0);

/** Where the events of a run begin in this ledger; 1 unless its task was taken over from the stream. */
export function firstSeqOf({ takenOver }: Pick<FleetRuns, 'takenOver'>, run: string): number {
  for (let end = run.length; end > 0; end = run.lastIndexOf('.', end - 1)) {
    const seq = takenOver[run.slice(0, end)];
    if (seq !== undefined) return seq;
  }
  return 1;
}

function applyClaim(state: FleetRuns, run: string, seq: number, claim: Claim): void {
  state.claimed[run] = toClaimed(seq, claim, state.claimed[run]);
  state.fenced = state.fenced.filter((each) => each !== run);
  if (claim.from === undefined) return;
  const { [run]: _, ...others } = state.takenOver;
  state.takenOver = Object.fromEntries([...Object.entries(others), [run, seq]].slice(-MOST_REMEMBERED));
}

/** The copies are written together with the claim, so that nothing else of the run comes before them. */
function countCopy({ claimed }: FleetRuns, run: string): void {
  for (const [task, each] of Object.entries(claimed))
    if (each.missing > 0 && (run === task || run.startsWith(`${task}.`))) each.missing -= 1;
}

export const readHalts = (projections: ProjectionsPort): Halts => projections.stateOf(fleetRuns).halts;

function applyOrder(halts: Halts, order: 'stop' | 'resume' | 'drain' | 'work'): void {
  if (order === 'stop' || order === 'resume') halts.isStopped = order === 'stop';
  else halts.isDrained = order === 'drain';
}

type Claim = Pick<RunClaimed, 'epoch' | 'from'>;

function toClaimed(seq: number, { epoch, from }: Claim, before: ClaimedRun | undefined): ClaimedRun {
  if (from === undefined)
    return before === undefined
      ? { epoch, seq, copied: 0, missing: 0, inDoubt: [], before: null }
      : { ...before, epoch };
  const { worker, copied, in_doubt: inDoubt, heard = null, quiet = null } = from;
  return { epoch, seq, copied, missing: copied, inDoubt, before: { worker, heard, quiet } };
}
