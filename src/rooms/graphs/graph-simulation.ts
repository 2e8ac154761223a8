/** What a graph would do: the paths it may take, and the calls on each, judged by the policy. Nothing is changed. */
import { join } from 'node:path';
import { z } from 'zod';
import { engineOptions } from '../../kit/house/engine-options.ts';
import { lineClassifierOf } from '../../kit/policy/classifier.ts';
import { loadPolicy } from '../../kit/policy/policy-file.ts';
import { graphsIn } from '../../kit/graphs/graph-files.ts';
import { loadRoomsConfig } from '../../kit/house/room-config.ts';
import { detachedTools, modelProviders, nodeKinds } from '../../kit/house/room-contributions.ts';
import type { OutputSchemas } from '../../core/engine/data-contract.ts';
import { simulate, type SimulatedPath, type Simulation } from '../../core/engine/simulate-graph.ts';
import type { SimulatedCall } from '../../core/engine/simulated-verdicts.ts';
import { given } from '../../core/guard/granted-approvals.ts';
import { redactShapes } from '../../core/guard/redact.ts';
import { openArtifacts } from '../../core/ledger/artifact-store.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Graph } from '../../core/schema/graph.ts';
import type { Json } from '../../core/schema/json.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { Tool } from '../../core/schema/tool.ts';
import { modelEnvironment } from '../../kit/settings.ts';
import type { Call } from '../../kit/cli/command-module.ts';
import type { Terminal } from '../../kit/cli/io.ts';
import { count, plainText } from '../../kit/cli/plain-text.ts';
import { wrapWords } from '../../kit/cli/wrap-words.ts';
import { modelNodeTools } from './model-node-tools.ts';
import { type SimulationPlace, simulatedWorld } from './simulated-world.ts';

type Place = Pick<Call, 'home' | 'rooms'>;

export async function simulateGraph(
  place: SimulationPlace,
  graph: Graph,
  input: Json | undefined,
): Promise<Simulation> {
  const { home, rooms } = place;
  const policy = loadPolicy(home.policy, lineClassifierOf(home));
  const nothing = given.initial();
  const config = await loadRoomsConfig(home, rooms);
  const options = engineOptions(home, config, await simulatedTools(place), {
    policy: () => policy,
    given: async () => nothing,
    known: () => nothing,
  });
  const world = await simulatedWorld(place, graph, artifactsOf(place), await replayedTools(place, config));
  return simulate({ ...options, graphs: graphsIn(home, await nodeKinds(rooms)) }, graph, input, world);
}

/** Tools that ask models whose answers were recorded; none while models would really be asked. */
async function replayedTools({ home, rooms }: Place, config: Config): Promise<Tool[]> {
  const providers = await modelProviders(rooms);
  if (modelEnvironment(providers).OKA_CASSETTE !== 'replay') return [];
  const [{ modelsOf }, { modelTool }, { openHomeVault }] = await Promise.all([
    import('../../kit/models/home-models.ts'),
    import('../../kit/models/model-tool.ts'),
    import('../../kit/vault/home-vault.ts'),
  ]);
  const models = modelsOf(home, config, await openHomeVault(home), providers);
  const contextOf = (model: string | undefined): number | null =>
    models.called('executor', model)?.contextTokens ?? null;
  return [modelTool(models), ...modelNodeTools(contextOf)];
}

const artifactsOf = ({ home }: Place): ArtifactStore => openArtifacts(join(home.oka, 'artifacts'), redactShapes);

/** Every tool, as far as it can be judged without being called. */
export function simulatedTools({ home, rooms }: Place): Promise<Tool[]> {
  const desk = join(home.workspace, 'desk');
  return detachedTools({ home, desk, artifacts: artifactsOf({ home, rooms }), purpose: 'simulation' }, rooms);
}

/** What tools give, by their schemas. */
export function outputSchemas(tools: readonly Tool[]): OutputSchemas {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return (name) => {
    const tool = byName.get(name);
    return tool === undefined ? undefined : (z.toJSONSchema(tool.output, { unrepresentable: 'any' }) as Json);
  };
}

export function renderSimulation(graph: string, simulation: Simulation, terminal: Terminal): string {
  const { paths, hasMore } = simulation;
  const [only] = paths;
  if (paths.length === 1 && only !== undefined) return `${terminal.bold(graph)} ${renderPath(only, terminal)}`;
  const shown = paths.map((path, index) => {
    const conditions = path.conditions.map((text) => `  if ${plainText(text)}\n`).join('');
    return `\n${terminal.bold(`Path ${index + 1}`)}\n${conditions}It ${renderPath(path, terminal)}`;
  });
  const more = hasMore ? `\nThere are more paths; only ${paths.length} were followed.\n` : '';
  return `${terminal.bold(graph)} may take ${count(paths.length, 'path')}, which depends on what is not known before\n${shown.join('')}${more}`;
}

function renderPath({ nodes, calls, asks, unknown, status, reason }: SimulatedPath, terminal: Terminal): string {
  const { width, dim } = terminal;
  const way = wrapWords(
    nodes.map(({ node, status: end }) => (end === 'done' ? node : `${node} (${end})`)).join(' → '),
    width - 2,
  );
  const lines = [
    `would make ${count(calls.length, 'call')} and be ${status}${reason === '' || status === 'done' ? '' : ` (${plainText(reason)})`}; nothing was done`,
    ...way.map((line) => dim(`  ${line}`)),
    ...calls.flatMap((call) => callLines(call, terminal)),
    ...asks.map(({ node, text }) => `  ${terminal.yellow('? question')}  ${node ?? ''}: ${plainText(text)}`),
    ...unknown.map(({ name, why }) => dim(`  ‹${plainText(name)}› is not known: ${plainText(why)}`)),
  ];
  return `${lines.join('\n')}\n`;
}

function callLines({ verdict, node, tool, class: effect, input, why }: SimulatedCall, terminal: Terminal): string[] {
  const { green, yellow, red, width } = terminal;
  const marks = {
    allow: green('✓ allow'),
    ask: yellow('? ask'),
    deny: red('✗ deny'),
    unclear: yellow('~ unclear'),
  } as const;
  const reason = verdict === 'ask' || why === '' ? '' : `: ${plainText(why)}`;
  const about = `${node ?? ''}: ${tool} (${effect}) ${plainText(JSON.stringify(input))}${reason}`;
  const [first = '', ...more] = wrapWords(about, width - 14);
  return [`  ${marks[verdict]}  ${first}`, ...more.map((line) => `      ${line}`)];
}
