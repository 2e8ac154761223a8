/** Owns: calls of another member, of which no witness on this machine knows anything (T2 in take-over.ts). */
import type { EngineOptions } from '../../core/engine/engine-context.ts';
import type { ProjectionsPort } from '../ports/port-types.ts';
import { fleetRuns } from './fleet-runs.ts';

type Witness = NonNullable<EngineOptions['witness']>;

/** Nobody saw how they ended: they are in doubt, and never count as not begun. */
export function exceptTakenOver(witness: Witness, projections: ProjectionsPort): Witness {
  return async (run, call) => {
    const { claimed } = projections.stateOf(fleetRuns);
    const isTakenOver = Object.values(claimed).some(({ inDoubt }) => inDoubt.includes(call.call));
    return isTakenOver ? null : witness(run, call);
  };
}
