/** Graphs: the node kinds besides the engine's own, one file each in kinds/; writing, saving and starting them on request, the tools of their state, and those that ask models. */
import { defineRoom } from '../../core/schema/room.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import type { runGraph } from './run-graph.ts';
import { unusedPorts } from '../../kit/unused-ports.ts';

const { home, events, ledger, artifacts, state, runs, viewFolds, models, tools, projections, backend, nodeKinds } =
  ports;

type RunGraph = typeof runGraph;

export const graphs = defineRoom({
  name: 'rooms/graphs',
  events: ['state.written', 'graph.saved'],
  nodes: async () => {
    const [{ ask }, { aiTemplate }, { llmCondition }, { readState }, { writeState }, { readPriorRuns }] =
      await Promise.all([
        import('./kinds/ask.ts'),
        import('./kinds/ai-template.ts'),
        import('./kinds/llm-condition.ts'),
        import('./kinds/read-state.ts'),
        import('./kinds/write-state.ts'),
        import('./kinds/read-prior-runs.ts'),
      ]);
    return [ask, aiTemplate, llmCondition, readState, writeState, readPriorRuns];
  },
  config: async () => ({ graph_import: (await import('./kinds/import-tools.ts')).GraphImportConfig }),
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
  needs: { home, events, ledger, artifacts, state, runs, viewFolds, models, tools, projections, backend, nodeKinds },
  gives: { runGraph: ports.runGraph },
  open: async (needed) => {
    const [{ rememberingTools }, { changeState }, { modelNodeTools }, { errorDecideTool }, { classifierOf }] =
      await Promise.all([
        import('./remembering-tools.ts'),
        import('./change-state.ts'),
        import('./model-node-tools.ts'),
        import('./error-decide-tool.ts'),
        import('../../kit/policy/classifier.ts'),
      ]);
    const startGraph = async (asked: Parameters<RunGraph>[1]): ReturnType<RunGraph> =>
      (await import('./run-graph.ts')).runGraph(needed, asked);
    return {
      gives: { runGraph: startGraph },
      tools: [
        ...rememberingTools(needed),
        ...modelNodeTools((model) => needed.models.called('executor', model)?.contextTokens ?? null),
        errorDecideTool({
          tools: needed.tools,
          classify: classifierOf(needed.home),
          deskOf: ({ desk }) => deskFolder(needed.home, desk),
        }),
      ],
      intakes: {
        state: async (intake) => ({ answer: changeState(needed, intake) }),
        run_graph: startGraph,
        save_graph: async ({ graph, version, artifact, cause }) => {
          const { noteVersion } = await import('../../kit/graphs/save-version.ts');
          await noteVersion(needed, { graph, version, artifact, cause });
          return null;
        },
        write_graph: async (intake) => {
          const { writeGraph } = await import('./write-graph.ts');
          const written = await writeGraph(needed, intake);
          return { answer: Promise.resolve(written) };
        },
      },
    };
  },
});
