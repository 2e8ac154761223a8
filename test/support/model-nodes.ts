/** Runs of graphs whose nodes ask models, over the standard chain, with a model that a test scripts. */
import { chooseTool } from '../../src/rooms/graphs/choose-tool.ts';
import { templateTool } from '../../src/rooms/graphs/template-tool.ts';
import { readGraph } from '../../src/core/engine/lower.ts';
import type { Plan } from '../../src/core/engine/graph-plan.ts';
import type { RunState } from '../../src/core/engine/run-state.ts';
import { aiTemplate } from '../../src/rooms/graphs/kinds/ai-template.ts';
import { llmCondition } from '../../src/rooms/graphs/kinds/llm-condition.ts';
import { modelTool } from '../../src/kit/models/model-tool.ts';
import { type Answering, scriptedModel } from '../../src/kit/models/scripted-model.ts';
import type { Graph } from '../../src/core/schema/graph.ts';
import type { Json } from '../../src/core/schema/json.ts';
import type { ModelRequest } from '../../src/core/schema/ports.ts';
import type { Tool } from '../../src/core/schema/tool.ts';
import { standardChain } from '../../src/core/chain/chain.ts';
import { engineWith, fakeTime, memoryArtifacts, type Seen } from './engine-fakes.ts';

export const modelKinds = [aiTemplate, llmCondition];

/** Null for a home without a model. */
export type Script = Answering | null;

export type ModelRun = Seen & { run: RunState; requests: ModelRequest[]; plan: Plan };

export function modelTools(script: Script, requests: ModelRequest[] = []): Tool[] {
  const model = scriptedModel((request, turn) => {
    requests.push(request);
    return script === null ? {} : script(request, turn);
  });
  const models = { for: () => (script === null ? null : model), called: () => null };
  return [modelTool(models), templateTool(() => null), chooseTool(() => null)];
}

export const graphFrom = (source: Record<string, Json>): Graph => readGraph({ id: 'g', ...source }, modelKinds).graph;

export async function runWithModel(
  graph: Graph,
  script: Script,
  input: Json = null,
  others: Tool[] = [],
): Promise<ModelRun> {
  const requests: ModelRequest[] = [];
  const tools = [...modelTools(script, requests), ...others];
  const time = fakeTime();
  const middleware = standardChain({ tools, clock: time.clock, sleep: time.sleep });
  const seen = engineWith({ tools, middleware, stores: { artifacts: memoryArtifacts() } });
  const run = await (await seen.engine.start(graph, { id: 'r', input })).done;
  return { ...seen, run, requests, plan: await seen.engine.planFor(run.plan.sha256) };
}
