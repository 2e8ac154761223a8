/** Owns: the projection of recorded requests: which there were, and the kind of the last one, the only one that a crash can leave unhandled. */
import type { Intake } from '../../core/schema/intake.ts';
import type { Projection } from '../../core/schema/ports.ts';

const KEPT = 1000;

export const receivedIntakes: Projection<{ ids: string[]; last: Intake['kind'] | null }> = {
  name: 'received_intakes',
  version: 2,
  types: ['intake.received'],
  initial: () => ({ ids: [], last: null }),
  apply: (state, event) => {
    if (event.type !== 'intake.received') return state;
    state.ids.push(event.data.id);
    state.last = event.data.intake.kind;
    if (state.ids.length > KEPT) state.ids.splice(0, state.ids.length - KEPT);
    return state;
  },
};
