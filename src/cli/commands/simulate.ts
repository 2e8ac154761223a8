import { join } from 'node:path';
import { graphsIn, loadGraph } from '../../daemon/home/graph-files.ts';
import { detachedTools, nodeKinds } from '../../daemon/room-contributions.ts';
import { lineClassifierOf } from '../../daemon/guard/classifier.ts';
import { loadPolicy } from '../../daemon/guard/policy-file.ts';
import { loadRoomsConfig } from '../../daemon/room-config.ts';
import { engineOptions } from '../../daemon/engine-options.ts';
import { simulate } from '../../engine/simulate-graph.ts';
import { given } from '../../guard/granted-approvals.ts';
import { redactShapes } from '../../guard/redact.ts';
import { openArtifacts } from '../../ledger/artifact-store.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import type { Terminal } from '../io.ts';
import { graphOperand, inputOption } from '../operands.ts';
import { count, plainText, wrapWords } from '../plain-text.ts';

type Data = { graph: string; simulation: Awaited<ReturnType<typeof simulate>> };

export async function run(call: Call<{ input: string | undefined }>): Promise<Answer<Data>> {
  const { home } = call;
  const kinds = await nodeKinds(call.rooms);
  const graph = loadGraph(graphOperand(call), kinds);
  const artifacts = openArtifacts(join(home.oka, 'artifacts'), redactShapes);
  const policy = loadPolicy(home.policy, lineClassifierOf(home));
  const nothing = given.initial();
  const options = engineOptions(
    home,
    await loadRoomsConfig(home, call.rooms),
    await detachedTools({ home, desk: join(home.workspace, 'desk'), artifacts, purpose: 'simulation' }, call.rooms),
    {
      policy: () => policy,
      given: async () => nothing,
      known: () => nothing,
    },
  );
  const simulation = await simulate(
    { ...options, graphs: graphsIn(home, kinds) },
    graph,
    await inputOption(call.options.input, call.stdin),
  );
  return answer({ graph: graph.id, simulation });
}

export const jsonLines = ({ simulation }: Data): object[] => [simulation];

export function render({ graph, simulation }: Data, terminal: Terminal): string {
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
