/** What graphs need while they run: the tools of their state and what people change in it, and those that ask models. */
import { defineRoom } from '../../schema/room.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { unusedPorts } from '../../kit/unused-ports.ts';

const { home, events, ledger, artifacts, state, runs, viewFolds, models, tools } = ports;

export const homeGraphs = defineRoom({
  name: 'daemon/graphs',
  events: ['state.written'],
  tools: ['state.read', 'state.values', 'state.write', 'runs.prior', 'model.template', 'model.choose', 'error.decide'],
  detachedTools: async ({ purpose, artifacts: stored }) => {
    if (purpose === 'replay') return []; // what a model answered then, and what state was, is in the record
    const [{ simulatedTools }, { modelNodeTools }, { errorDecideTool }] = await Promise.all([
      import('./remembering-tools.ts'),
      import('./model-node-tools.ts'),
      import('./error-decide-tool.ts'),
    ]);
    return [...simulatedTools(stored), ...modelNodeTools(() => null), errorDecideTool(unusedPorts)];
  },
  needs: { home, events, ledger, artifacts, state, runs, viewFolds, models, tools },
  open: async (needed) => {
    const [{ rememberingTools }, { changeState }, { modelNodeTools }, { errorDecideTool }, { classifierOf }] =
      await Promise.all([
        import('./remembering-tools.ts'),
        import('./change-state.ts'),
        import('./model-node-tools.ts'),
        import('./error-decide-tool.ts'),
        import('../../kit/policy/classifier.ts'),
      ]);
    return {
      tools: [
        ...rememberingTools(needed),
        ...modelNodeTools((model) => needed.models.called('executor', model)?.contextTokens ?? null),
        errorDecideTool({
          tools: needed.tools,
          classify: classifierOf(needed.home),
          deskOf: ({ desk }) => deskFolder(needed.home, desk),
        }),
      ],
      intakes: { state: async (intake) => ({ answer: changeState(needed, intake) }) },
    };
  },
});
