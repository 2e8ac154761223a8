/** What synthesis contributes: frames of files and folders, the tools of the context tree, and watching for changes. */
import { configPort, defineRoom, type LateAnswer, port } from '../../../core/schema/room.ts';
import type { TreeConfig } from '../../../core/schema/tree.ts';
import { ports } from '../../../kit/ports/room-ports.ts';
import { refuseUse } from '../../../kit/unused-ports.ts';
import { treePort } from '../tree/room.ts';
import type { Synthesis, SynthesisPort } from './open-synthesis.ts';
import type { runContext } from './run-context.ts';

type RunContext = typeof runContext;

const { home, artifacts, agents, vault, models, runs, backend, ledger, projections, nodeKinds, reportRun } = ports;

export const synthesis = defineRoom({
  name: 'rooms/context/synthesis',
  tools: [
    'context.read',
    'context.ask',
    'context.map',
    'context.write',
    'context.synthesize',
    'context.regenerate',
    'context.invalidate',
  ],
  detachedTools: async ({ purpose }) => {
    if (purpose === 'replay') return []; // frames have changed since: what they said then is in the record
    const { contextTools } = await import('./context-tools.ts');
    return contextTools({ synthesis: refuseUse, hasModel: () => false, hasTree: () => true });
  },
  needs: {
    home,
    tree: treePort,
    artifacts,
    agents,
    vault,
    models,
    runs,
    backend,
    ledger,
    projections,
    nodeKinds,
    reportRun,
    runGraph: ports.runGraph,
    settings: configPort<TreeConfig>('tree'),
  },
  gives: { synthesis: port<SynthesisPort>('synthesis'), frames: ports.frames },
  open: async (needed) => {
    const [{ contextTools }, { watchWorkspaces }, { hasTree, handledScans }] = await Promise.all([
      import('./context-tools.ts'),
      import('./watch-workspace.ts'),
      import('../tree/tree-files.ts'),
    ]);
    const { models: known, settings } = needed;
    const load = async (): Promise<Synthesis> =>
      (await import('./open-synthesis.ts')).openSynthesis({
        ...needed,
        types: settings.frame_types,
        redact: (text) => needed.vault.redact(text),
        contextOf: (model) => known.called('executor', model)?.contextTokens ?? null,
      });
    let opened: Promise<Synthesis> | null = null;
    const open = (): Promise<Synthesis> => (opened ??= load());
    const run = async (request: Parameters<RunContext>[1]): Promise<LateAnswer> =>
      (await import('./run-context.ts')).runContext(needed, request);
    const watcher = watchWorkspaces({
      ...needed,
      clock: Date.now,
      regenerate: run,
      runGraph: async (graph, id, input) => {
        if ((await needed.runs.stateOf(id)) === null) await needed.runGraph({ graph, id, input });
      },
      handled: handledScans(needed.home),
      report: (problem) => needed.reportRun(problem, 'context'),
    });
    return {
      gives: {
        synthesis: { open, onChange: watcher.onChange },
        frames: async (dir, about) =>
          (await import('./task-frames.ts')).taskFrames(needed.home, needed.tree)(dir, about),
      },
      tools: contextTools({
        synthesis: open,
        hasModel: (model) => known.for('executor', model) !== null,
        hasTree: () => hasTree(needed.home),
      }),
      intakes: {
        run_context: ({ kind: _kind, ...request }) => run({ max_tokens: settings.max_tokens, ...request }),
      },
      poll: watcher.poll,
      close: watcher.close,
    };
  },
});
