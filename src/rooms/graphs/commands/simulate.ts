import { loadGraph } from '../../../kit/graphs/graph-files.ts';
import { nodeKinds } from '../../../kit/house/room-contributions.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Simulation } from '../../../core/engine/simulate-graph.ts';
import { renderSimulation, simulateGraph } from '../graph-simulation.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { graphOperand } from '../graph-operand.ts';
import { inputOption } from '../../../kit/cli/operands.ts';

type Data = { graph: string; simulation: Simulation };

export async function run(call: Call<{ input: string | undefined }>): Promise<Answer<Data>> {
  const graph = loadGraph(graphOperand(call), await nodeKinds(call.rooms));
  const input = await inputOption(call.options.input, call.stdin);
  const simulation = await simulateGraph(call, graph, input);
  return answer({ graph: graph.id, simulation }, simulation.isRefused ? exits.no : exits.ok);
}

export const jsonLines = ({ simulation }: Data): object[] => [simulation];

export const render = ({ graph, simulation }: Data, terminal: Terminal): string =>
  renderSimulation(graph, simulation, terminal);
