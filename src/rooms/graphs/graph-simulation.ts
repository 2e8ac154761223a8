/** What a graph would do: the calls it would make, judged by the policy. Nothing is called. */
import { join } from 'node:path';
import { engineOptions } from '../../kit/house/engine-options.ts';
import { lineClassifierOf } from '../../kit/policy/classifier.ts';
import { loadPolicy } from '../../kit/policy/policy-file.ts';
import { graphsIn } from '../../kit/graphs/graph-files.ts';
import { loadRoomsConfig } from '../../kit/house/room-config.ts';
import { detachedTools, nodeKinds } from '../../kit/house/room-contributions.ts';
import { simulate } from '../../core/engine/simulate-graph.ts';
import { given } from '../../core/guard/granted-approvals.ts';
import { redactShapes } from '../../core/guard/redact.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import type { Graph } from '../../core/schema/graph.ts';
import type { Json } from '../../core/schema/json.ts';
import type { Tool } from '../../core/schema/tool.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { count, plainText } from '../../kit/cli/plain-text.ts';
import { wrapWords } from '../../kit/cli/wrap-words.ts';

export type Simulation = Awaited<ReturnType<typeof simulate>>;
type Place = Pick<Call, 'home' | 'rooms'>;

export async function simulateGraph({ home, rooms }: Place, graph: Graph, input: Json): Promise<Simulation> {
  const policy = loadPolicy(home.policy, lineClassifierOf(home));
  const nothing = given.initial();
  const options = engineOptions(home, await loadRoomsConfig(home, rooms), await simulatedTools({ home, rooms }), {
    policy: () => policy,
    given: async () => nothing,
    known: () => nothing,
  });
  return simulate({ ...options, graphs: graphsIn(home, await nodeKinds(rooms)) }, graph, input);
}

/** Every tool, as far as it can be judged without being called. */
export function simulatedTools({ home, rooms }: Place): Promise<Tool[]> {
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), redactShapes);
  return detachedTools({ home, desk: join(home.workspace, 'desk'), artifacts, purpose: 'simulation' }, rooms);
}

export function renderSimulation(graph: string, simulation: Simulation, terminal: Terminal): string {
  const { bold, green, yellow, red, width } = terminal;
  const marks = {
    allow: green('✓ allow'),
    ask: yellow('? ask'),
    deny: red('✗ deny'),
    unclear: yellow('~ unclear'),
  } as const;
  const lines = simulation.calls.map(({ verdict, node, tool, class: effect, input }) => {
    const about = `${node ?? ''}: ${tool} (${effect}) ${plainText(JSON.stringify(input))}`;
    const [first = '', ...more] = wrapWords(about, width - 14);
    return [`  ${marks[verdict]}  ${first}`, ...more.map((line) => `      ${line}`), ''].join('\n');
  });
  return `${bold(graph)} would make ${count(simulation.calls.length, 'call')}; nothing was done\n${lines.join('')}`;
}
