/** What graphs need while they run: the tools of their state and what people change in it, and those that ask models. */
import { defineRoom } from '../../schema/room.ts';
import { ports } from '../room-ports.ts';

const { home, events, ledger, artifacts, state, runs, viewFolds, models } = ports;

export const homeGraphs = defineRoom({
  name: 'daemon/graphs',
  events: ['state.written'],
  tools: ['state.read', 'state.values', 'state.write', 'runs.prior', 'model.template', 'model.choose'],
  detachedTools: async ({ purpose, artifacts: stored }) => {
    if (purpose === 'replay') return []; // what a model answered then, and what state was, is in the record
    const [{ simulatedTools }, { modelNodeTools }] = await Promise.all([
      import('./remembering-tools.ts'),
      import('./model-node-tools.ts'),
    ]);
    return [...simulatedTools(stored), ...modelNodeTools(() => null)];
  },
  needs: { home, events, ledger, artifacts, state, runs, viewFolds, models },
  open: async (needed) => {
    const [{ rememberingTools }, { changeState }, { modelNodeTools }] = await Promise.all([
      import('./remembering-tools.ts'),
      import('./change-state.ts'),
      import('./model-node-tools.ts'),
    ]);
    return {
      tools: [
        ...rememberingTools(needed),
        ...modelNodeTools((model) => needed.models.called('executor', model)?.contextTokens ?? null),
      ],
      intakes: { state: async (intake) => ({ answer: changeState(needed, intake) }) },
    };
  },
});
