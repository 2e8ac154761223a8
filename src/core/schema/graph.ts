import { z } from 'zod';
import { conditionFields, TextComparison } from './condition.ts';
import { SideEffectClass } from './effect.ts';
import { OpenFolder } from './folder.ts';
import { JsonValue } from './json.ts';
import { Id, NodeId, Sha256 } from './names.ts';
import { Budgets, Mode } from './run.ts';
import { Retry } from './retry-rule.ts';
import { ArtifactRef } from './tool.ts';
import { SchemaField } from './schema-field.ts';
import { WaitFor } from './wait.ts';

/** Fields of every node, whatever its kind. */
export const commonFields = {
  id: NodeId,
  title: z.string().max(500).optional().describe('What the step does, for a person.'),
  needs: z.array(NodeId).max(1000).default([]).describe('Nodes that must be done before this one starts.'),
  input: JsonValue.optional().describe(
    'Input; strings may contain {{input.x}}, {{node.y}}, {{node.output}}, {{last}} or {{date}}. Default: the output of the node before.',
  ),
  acceptance: z
    .array(z.string().max(2000))
    .max(50)
    .default([])
    .describe('Checks that must pass for the step to count as done, such as "file: report.md".'),
  timeout_seconds: z.number().positive().max(86_400).optional().describe('Time limit of one attempt.'),
  max_retries: z.int().nonnegative().max(20).optional().describe('Attempts after the first.'),
  idempotency_key: z
    .string()
    .max(500)
    .optional()
    .describe('Calls with the same key have their effect once; may be a template.'),
  retry: Retry.optional(),
  on_error: z
    .union([
      z.enum(['retry', 'fallback', 'fail', 'continue', 'handle']),
      z.templateLiteral(['branch:', z.string().min(1).max(80)]),
    ])
    .default('fail')
    .describe(
      'What happens when the node has failed for good. fail: the run fails. fallback: `fallback` is its output. continue: its output is {error}. branch:<node>: that node is next, with {error} as its input. handle: the error handler decides (rules, then a model if the graph has `handler`). retry: twice more, then fail.',
    ),
  fallback: JsonValue.optional().describe(
    'Output to continue with if on_error is fallback, or handle and nothing else helped.',
  ),
  tools: z.array(z.string().max(120)).max(100).optional().describe('Tools this node may call.'),
  input_schema: SchemaField.optional().describe('JSON Schema that its input must fit, else the node fails.'),
  output_schema: SchemaField.optional().describe('JSON Schema that its output must fit, else the node fails.'),
};

const ToolNode = z.strictObject({
  kind: z.literal('tool').describe('Calls one tool.'),
  ...commonFields,
  tool: z.string().max(120).describe('The tool to call.'),
});
const AgentNode = z.strictObject({
  kind: z.literal('agent').describe('Lets a model work towards a goal.'),
  ...commonFields,
  goal: z.string().max(20_000).describe('What the agent is to achieve; may be a template.'),
  classes: z
    .array(SideEffectClass)
    .max(3)
    .optional()
    .describe('What its calls may change at most; by default as the policy allows.'),
});
const WaitNode = z.strictObject({
  kind: z.literal('wait').describe('Waits for something.'),
  ...commonFields,
  for: WaitFor,
});
const GraphNode = z.strictObject({
  kind: z.literal('graph').describe('Runs another graph inside this one.'),
  ...commonFields,
  graph: Id.describe('Name of the graph to run inside.'),
});
const TypedConditionNode = z.strictObject({
  kind: z
    .literal('typed_condition')
    .describe('Compares values and chooses the branch "true" or "false"; no tool and no model is called.'),
  ...commonFields,
  ...conditionFields,
});
const TransformNode = z.strictObject({
  kind: z.literal('transform').describe('Makes a value out of what is known; no tool and no model is called.'),
  ...commonFields,
  value: JsonValue.optional().describe('The output; strings may contain templates. Default: the input.'),
});
export const MapNode = z.strictObject({
  kind: z.literal('map').describe('Does the same for every item of a list.'),
  ...commonFields,
  over: z.string().max(500).default('{{last}}').describe('Template that gives a list.'),
  each: z
    .discriminatedUnion('kind', [ToolNode, AgentNode, GraphNode, TypedConditionNode, TransformNode])
    .describe('What is done for every item, with {{item}} in its input.'),
  parallel: z.int().positive().max(64).default(4).describe('How many items at once.'),
  max_items: z
    .int()
    .positive()
    .max(200_000)
    .optional()
    .describe('A longer list fails the node. Default: 10,000, and no limit in mode flex.'),
});

export const instructionNodes = [
  ToolNode,
  AgentNode,
  GraphNode,
  MapNode,
  WaitNode,
  TypedConditionNode,
  TransformNode,
] as const;

export const Node = z.discriminatedUnion('kind', instructionNodes).describe('One step of a graph.');
export type Node = z.infer<typeof Node>;

export const Edge = z
  .strictObject({
    from: NodeId,
    to: NodeId,
    when: z
      .strictObject({
        field: z.string().max(200).describe('Field of the output of `from`.'),
        equals: JsonValue.describe('Value it must have.'),
        text: TextComparison.optional(),
      })
      .optional()
      .describe('Taken only if this is true.'),
    max: z.int().positive().max(100).optional().describe('Required on an edge back: how often it may be taken.'),
    failed: z
      .literal(true)
      .optional()
      .describe('Taken only if `from` has failed; comes from on_error: branch:<node> and is not written by hand.'),
  })
  .describe('An edge from one node to another, besides `needs`.');
export type Edge = z.infer<typeof Edge>;

export const Graph = z
  .strictObject({
    $schema: z.string().optional().describe('The JSON schema of this file, for editors.'),
    id: Id,
    title: z.string().max(500).optional().describe('What the graph does, for a person.'),
    mode: Mode.default('bounded'),
    author: z
      .enum(['operator', 'model'])
      .default('operator')
      .describe('Who wrote it: a person, or a model whose commands are judged one by one.'),
    inputs: SchemaField.optional().describe('JSON Schema that the input of a run must fit, else it is not started.'),
    nodes: z.array(Node).min(1).max(200_000).describe('The steps.'),
    edges: z.array(Edge).max(200_000).default([]).describe('Conditional edges and bounded loops.'),
    parallel: z.int().positive().max(1024).default(8).describe('How many nodes may run at once.'),
    budgets: Budgets.default({}),
    runs_at_once: z
      .int()
      .positive()
      .max(1000)
      .optional()
      .describe('How many runs of this graph may be at work at once; further ones wait for their turn, in order.'),
    key: z
      .string()
      .max(500)
      .optional()
      .describe(
        'Template over the input, such as {{input.customer}}: runs with the same value take turns (default: 1 at once).',
      ),
    pins: z
      .record(NodeId, JsonValue)
      .optional()
      .describe('While the graph is being written: outputs of nodes that are not run. Not in strict mode.'),
    handler: z
      .strictObject({
        model: z
          .boolean()
          .default(false)
          .describe('Whether a model may decide about an error that no rule deals with.'),
      })
      .optional()
      .describe('How errors of nodes with on_error: handle are dealt with.'),
    desk: Id.optional().describe('The copy of the desk, in workspace/forks, that it works in; that of a fork.'),
    folders: z
      .array(OpenFolder)
      .max(100)
      .optional()
      .describe('Folders outside the desk that the task of this plan may use; commands are classified by them.'),
  })
  .describe('A graph of steps, run by the engine.');
export type Graph = z.infer<typeof Graph>;

export const GraphSaved = z
  .strictObject({
    graph: Id.describe('The name of the graph.'),
    version: Sha256.describe('The hash of its content; the order of fields and white space do not count.'),
    artifact: ArtifactRef.describe('The graph as it was written.'),
    cause: z
      .enum(['run', 'edited', 'created', 'patched', 'rolled_back', 'deleted', 'built', 'imported'])
      .describe('Why it was saved: a run was started with it, or somebody changed the file to it or from it.'),
  })
  .describe('A version of a graph was saved.');
export type GraphSaved = z.infer<typeof GraphSaved>;
