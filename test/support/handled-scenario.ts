/** Random graphs whose nodes ask models and people, and whose errors are handled, in all modes and with crashes. */
import * as fc from 'fast-check';
import { readGraph } from '../../src/core/engine/lower.ts';
import { aiTemplate } from '../../src/rooms/graphs/kinds/ai-template.ts';
import { ask } from '../../src/rooms/graphs/kinds/ask.ts';
import { llmCondition } from '../../src/rooms/graphs/kinds/llm-condition.ts';
import type { Graph } from '../../src/core/schema/graph.ts';
import { linkedScenarios, type Scenario, withSoundEdges } from './engine-scenario.ts';

type Change = { as: 'same' | 'handle' | 'template' | 'choice' | 'ask'; detail: number; target: number };

const kinds = [aiTemplate, llmCondition, ask];
const tools = ['limited', 'limited', 'limited', 'note', 'write', 'send', 'peek', 'look'] as const;

export function handledScenarios(fixed: Partial<Scenario> = {}): fc.Arbitrary<Scenario> {
  const change: fc.Arbitrary<Change> = fc.record({
    as: fc.constantFrom('same', 'handle', 'handle', 'handle', 'template', 'choice', 'ask'),
    detail: fc.nat(7),
    target: fc.nat(3),
  });
  const changes = fc.array(change, { minLength: 6, maxLength: 6 });
  return fc.tuple(linkedScenarios(fixed, tools), changes, fc.boolean()).map(([scenario, list, model]) => ({
    ...scenario,
    graph: changeGraph(scenario.graph, list, model),
    child: changeGraph(scenario.child, list.slice(2), model),
    handles: true,
  }));
}

function changeGraph(graph: Graph, changes: readonly Change[], model: boolean): Graph {
  const nodes = graph.nodes.map((node, index) => {
    const change = changes[index] ?? { as: 'same', detail: 0, target: 0 };
    const target = graph.nodes[index + change.target + 1]?.id;
    return changeNode(node, change, target);
  });
  const source: unknown = JSON.parse(
    JSON.stringify({ ...graph, nodes, ...(model ? { handler: { model: true } } : {}) }),
  );
  return withSoundEdges(readGraph(source, kinds).graph);
}

function changeNode(node: Graph['nodes'][number], { as, detail }: Change, target: string | undefined): object {
  if (as === 'same') return node;
  if (node.kind === 'map') return { ...node, each: node.each.kind === 'tool' ? handled(node.each, detail) : node.each };
  if (node.kind !== 'tool' && node.kind !== 'wait') return node;
  if (as === 'handle') return node.kind === 'tool' ? handled(node, detail) : node;
  const { id, title, needs, max_retries, timeout_seconds, idempotency_key, on_error, fallback } = node;
  const common = { id, title, needs, max_retries, timeout_seconds, idempotency_key, on_error, fallback };
  if (as === 'template') return handled({ ...common, kind: 'ai_template', ...templateFields(detail) }, detail);
  const branches = target === undefined ? {} : { branches: { yes: target } };
  if (as === 'choice')
    return handled({ ...common, kind: 'llm_condition', ...branches, ...choiceFields(detail) }, detail);
  return { id, title, needs, kind: 'ask', ...branches, ...askFields(detail) };
}

/** Sometimes with a fallback, sometimes as it was; an error that leads to a branch stays so. */
function handled(node: { on_error: string; [field: string]: unknown }, detail: number): object {
  if (node.on_error.startsWith('branch:') || detail === 7) return node;
  const { fallback: _, ...rest } = node;
  return { ...rest, on_error: 'handle', ...(detail % 2 === 0 ? { fallback: { flag: true, list: [4] } } : {}) };
}

const templateFields = (detail: number): object => ({
  prompt: detail % 3 === 0 ? 'Make a list.' : 'Make a list like {{input.list}}.',
  ...(detail < 4
    ? { output_schema: { type: 'object', required: ['flag'], properties: { flag: { type: 'boolean' } } } }
    : {}),
});

const choiceFields = (detail: number): object => ({
  prompt: 'Is it so?',
  branch_options: [
    { name: 'yes', meaning: 'it is' },
    { name: 'no', meaning: 'it is not' },
  ],
  ...(detail < 4 ? { default: 'no' } : {}),
});

const askFields = (detail: number): object => ({
  question: 'Is it so? {{input.list}}',
  ...(detail === 6 ? {} : { options: ['yes', 'no'] }),
  ...(detail % 2 === 0 ? { answer_within_seconds: 60 } : {}),
  ...(detail % 4 === 0 ? { default: 'no' } : {}),
});
