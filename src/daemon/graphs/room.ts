/** What graphs need while they run: the tools of their state, and what people change in it. */
import { defineRoom } from '../../schema/room.ts';
import { ports } from '../room-ports.ts';

const { events, ledger, artifacts, state } = ports;

export const homeGraphs = defineRoom({
  name: 'daemon/graphs',
  events: ['state.written'],
  tools: ['state.read', 'state.values', 'state.write'],
  detachedTools: async ({ purpose, artifacts: stored }) => {
    if (purpose === 'replay') return []; // state has changed since: what was read then is in the record
    const { stateTools } = await import('../../tools/builtin/state-tools.ts');
    return stateTools({ read: () => Promise.resolve(undefined), artifacts: stored });
  },
  needs: { events, ledger, artifacts, state },
  open: async (needed) => {
    const [{ stateTools }, { readStateValue }, { changeState }] = await Promise.all([
      import('../../tools/builtin/state-tools.ts'),
      import('./read-state-value.ts'),
      import('./change-state.ts'),
    ]);
    return {
      tools: stateTools({
        read: (namespace, key) => readStateValue(needed, namespace, key),
        artifacts: needed.artifacts,
      }),
      intakes: { state: async (intake) => ({ answer: changeState(needed, intake) }) },
    };
  },
});
