/** Owns: calls of another member, of which no witness on this machine knows anything (T2 in take-over.ts). */
import type { EngineOptions } from '../../core/engine/engine-context.ts';
import type { ProjectionsPort } from '../ports/port-types.ts';
import { type ClaimedRun, fleetRuns } from './fleet-runs.ts';

type Witness = NonNullable<EngineOptions['witness']>;

/** Nobody saw how they ended: they are in doubt, and never count as not begun. */
export function exceptTakenOver(witness: Witness, projections: ProjectionsPort): Witness {
  return async (run, call) => {
    const { claimed } = projections.stateOf(fleetRuns);
    const task = Object.values(claimed).find(({ inDoubt }) => inDoubt.includes(call.call));
    if (task === undefined) return witness(run, call);
    return task.before === null
      ? null
      : { status: 'cancelled', error: whatIsKnown(task.before), unseen: true, elsewhere: true };
  };
}

/** What a person needs to know who is asked whether it happened. */
function whatIsKnown({ worker, heard, quiet }: NonNullable<ClaimedRun['before']>): string {
  const last = heard === null ? '' : `: its last message came at ${timeOf(heard)}`;
  const safe =
    quiet === null ? '' : `; it sends nothing after ${timeOf(quiet)}, so whoever looks after that sees all of it`;
  return `the former worker, ${worker}, may still have finished it${last}${safe}`;
}

const timeOf = (instant: string): string => `${instant.slice(0, 19).replace('T', ' ')} UTC`;
