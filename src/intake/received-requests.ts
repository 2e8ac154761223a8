/** Owns: the projection of recorded requests, so that a crash between recording and removing one does not repeat it. */
import type { Projection } from '../schema/ports.ts';

const KEPT = 1000;

export const receivedIntakes: Projection<{ ids: string[] }> = {
  name: 'received_intakes',
  version: 1,
  file: 'state/received_intakes.json',
  initial: () => ({ ids: [] }),
  apply: (state, event) => {
    if (event.type !== 'intake.received') return state;
    state.ids.push(event.data.id);
    if (state.ids.length > KEPT) state.ids.splice(0, state.ids.length - KEPT);
    return state;
  },
};
