import { z } from 'zod';
import { JsonValue } from './json.ts';
import { Id, NodeId } from './names.ts';
import { ArtifactRef } from './tool.ts';
import { WaitFor } from './wait.ts';

export const Mode = z
  .enum(['strict', 'bounded', 'flex'])
  .describe('How much freedom a run has: every bound required, bounded (the default), or loose.');
export type Mode = z.infer<typeof Mode>;

export const Budgets = z
  .strictObject({
    tokens: z.int().nonnegative().optional().describe('Model tokens, in and out.'),
    usd: z.number().nonnegative().optional().describe('Money, in US dollars.'),
    tool_calls: z.int().nonnegative().optional().describe('Calls of any tool.'),
    retries: z.int().nonnegative().optional().describe('Repeated attempts over the whole run.'),
    replans: z.int().nonnegative().optional().describe('How often it is planned again.'),
    seconds: z.number().nonnegative().optional().describe('Wall time while the run is active.'),
    depth: z.int().nonnegative().optional().describe('How deep runs may start further runs inside them.'),
    output_bytes: z.int().nonnegative().optional().describe('Bytes produced by tools.'),
  })
  .describe('Upper limits; what is left out is limited by the policy.');
export type Budgets = z.infer<typeof Budgets>;

export const RunStatus = z
  .enum(['running', 'blocked', 'paused', 'done', 'failed', 'cancelled'])
  .describe('The status of a run. done, failed and cancelled are final.');
export type RunStatus = z.infer<typeof RunStatus>;

export const RunKind = z
  .enum(['task', 'schedule', 'graph', 'correction', 'rerun', 'install', 'child'])
  .describe(
    'What a run came from: a task, a time of a schedule, a graph that somebody started, a correction, an earlier run that it resumes, replays or forks, a tool that had to be installed, or a step of the run around it.',
  );
export type RunKind = z.infer<typeof RunKind>;

export const RunLink = z
  .strictObject({
    kind: z
      .enum(['replay', 'resume', 'fork'])
      .describe(
        'replay: the same input once more. resume: it continues a failed run. fork: it departs from a run at a node.',
      ),
    run: Id.describe('The earlier run.'),
    node: NodeId.optional().describe('The node it starts at; what was done before that node is reused.'),
  })
  .describe('The earlier run that a run was made from.');
export type RunLink = z.infer<typeof RunLink>;

export const RunMarks = z
  .strictObject({
    runs: z.array(Id).min(1).max(1000).describe('Which runs.'),
    archived: z.boolean().optional().describe('Whether lists leave them out from now on.'),
    pinned: z.boolean().optional().describe('Whether lists show them first from now on.'),
  })
  .describe('A person archived or pinned runs in lists, or undid that. The runs themselves are unchanged.');
export type RunMarks = z.infer<typeof RunMarks>;

export const NodeStatus = z
  .enum(['pending', 'running', 'waiting', 'done', 'failed', 'skipped'])
  .describe('The status of a node of a run.');
export type NodeStatus = z.infer<typeof NodeStatus>;

export const PlannedNode = z
  .strictObject({
    id: NodeId,
    title: z.string().max(500).describe('What the step does, for a person.'),
    needs: z.array(NodeId).max(1000).default([]).describe('Nodes that must be done before.'),
    acceptance: z
      .array(z.string().max(2000))
      .max(50)
      .default([])
      .describe('What must be true for the step to count as done.'),
  })
  .describe('A node as people see it in active_task_graph.json.');
export type PlannedNode = z.infer<typeof PlannedNode>;

export const Run = z
  .strictObject({
    id: Id,
    title: z.string().describe('What it is about.'),
    state: z.string().describe('Name of the current state, such as EXECUTE.'),
    status: RunStatus,
    waits: z.array(WaitFor).describe('What it waits for, when blocked.'),
    vars: z.record(z.string(), JsonValue).describe('Outputs by node.'),
    budgets: Budgets.describe('What is left.'),
    ledger: z
      .strictObject({ first: z.int().describe('Its first event.'), last: z.int().describe('Its latest event so far.') })
      .describe('Range of seq with the events of this run.'),
    artifacts: z.array(ArtifactRef).describe('What it produced.'),
  })
  .describe('One execution of a graph, folded from the ledger.');
export type Run = z.infer<typeof Run>;

export const RunNote = z
  .strictObject({
    text: z.string().max(4000).default('').describe('The words, as the person wrote them; empty for a mere stop.'),
    stop_after_step: z
      .literal(true)
      .optional()
      .describe('Pause the run when the steps that are in progress now have ended.'),
    by: z.string().max(200).optional().describe('Who sent it.'),
  })
  .describe('A note of a person to whoever works on a run.');
export type RunNote = z.infer<typeof RunNote>;

export const RunTurn = z
  .strictObject({
    key: z.string().max(700).describe('Runs with the same key take turns: the graph, and the value of its `key`.'),
    at_once: z.int().positive().max(1000).describe('How many of them may be at work at once.'),
  })
  .describe('The run takes turns with others.');
export type RunTurn = z.infer<typeof RunTurn>;
