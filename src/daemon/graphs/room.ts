/** What graphs need while they run: the tools of their state and what people change in it, and those that ask models. */
import { defineRoom } from '../../schema/room.ts';
import { ports } from '../room-ports.ts';

const { events, ledger, artifacts, state, models } = ports;

export const homeGraphs = defineRoom({
  name: 'daemon/graphs',
  events: ['state.written'],
  tools: ['state.read', 'state.values', 'state.write', 'model.template'],
  detachedTools: async ({ purpose, artifacts: stored }) => {
    if (purpose === 'replay') return []; // what a model answered then, and what state was, is in the record
    const [{ stateTools }, { modelNodeTools }] = await Promise.all([
      import('../../tools/builtin/state-tools.ts'),
      import('./model-node-tools.ts'),
    ]);
    return [
      ...stateTools({ read: () => Promise.resolve(undefined), artifacts: stored }),
      ...modelNodeTools(() => null),
    ];
  },
  needs: { events, ledger, artifacts, state, models },
  open: async (needed) => {
    const [{ stateTools }, { readStateValue }, { changeState }, { modelNodeTools }] = await Promise.all([
      import('../../tools/builtin/state-tools.ts'),
      import('./read-state-value.ts'),
      import('./change-state.ts'),
      import('./model-node-tools.ts'),
    ]);
    return {
      tools: [
        ...stateTools({
          read: (namespace, key) => readStateValue(needed, namespace, key),
          artifacts: needed.artifacts,
        }),
        ...modelNodeTools((model) => needed.models.called('executor', model)?.contextTokens ?? null),
      ],
      intakes: { state: async (intake) => ({ answer: changeState(needed, intake) }) },
    };
  },
});
