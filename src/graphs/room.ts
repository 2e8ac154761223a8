/**
 * What people may write in their graphs besides the engine's own instructions: one file per node kind in this folder,
 * listed here, and the tools that do the work of those kinds.
 */
import { defineRoom } from '../schema/room.ts';

export const graphs = defineRoom({
  name: 'graphs',
  nodes: async () => {
    const [{ ask }, { aiTemplate }, { llmCondition }, { readState }, { writeState }, { readPriorRuns }] =
      await Promise.all([
        import('./ask.ts'),
        import('./ai-template.ts'),
        import('./llm-condition.ts'),
        import('./read-state.ts'),
        import('./write-state.ts'),
        import('./read-prior-runs.ts'),
      ]);
    return [ask, aiTemplate, llmCondition, readState, writeState, readPriorRuns];
  },
  config: async () => ({ graph_import: (await import('./import-tools.ts')).GraphImportConfig }),
});
