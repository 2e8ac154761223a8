/** PLAN → EXECUTE → CRITIQUE → (REPLAN | DONE), as an ordinary graph. */
import { Graph } from '../../core/schema/graph.ts';

/** How often a task is replanned, unless its budget sets another limit. */
export const MOST_REPLANS = 3;

export const taskGraph: Graph = Graph.parse({
  id: 'oka.task',
  title: 'Do a task',
  nodes: [
    {
      kind: 'tool',
      id: 'plan',
      title: 'Plan',
      tool: 'task.plan',
      input: { task: '{{input}}' },
      timeout_seconds: 1800,
      max_retries: 0,
    },
    {
      kind: 'tool',
      id: 'execute',
      title: 'Execute',
      tool: 'run.start',
      needs: ['plan'],
      input: { graph: '{{plan.graph}}', input: '{{plan.input}}', any_end: true },
      timeout_seconds: 60,
      max_retries: 0,
    },
    {
      kind: 'tool',
      id: 'critique',
      title: 'Critique',
      tool: 'task.critique',
      needs: ['execute'],
      input: { task: '{{input}}', plan: '{{plan}}', end: '{{execute}}' },
      timeout_seconds: 3600,
      max_retries: 0,
    },
  ],
  edges: [{ from: 'critique', to: 'plan', when: { field: 'verdict', equals: 'rework' }, max: MOST_REPLANS }],
});
