/** A run's state as plain JSON and back, for a RunStore. Nodes that nothing has happened to are left out. */
import { hash } from 'node:crypto';
import type { Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { Plan } from './graph-plan.ts';
import { freshNode, type NodeState, type OpenWait, type RunState } from './run-state.ts';

type SnapshotState = Omit<RunState, 'plan' | 'configs' | 'nodes' | 'itemNames' | 'ready' | 'active' | 'waits'> & {
  nodes: [number, NodeState][];
  items: [string, number, Node][];
  ready: number[];
  active: number[];
  waits: OpenWait[];
};

/** Changed whenever the state of a run changes its shape: older snapshots are then rebuilt from the events. */
const SHAPE = 11;

export function toSnapshot(run: RunState): Json {
  const { plan, configs, nodes, itemNames, ready, active, waits, ...rest } = run;
  const touched = nodes
    .map((node, index): [number, NodeState] => [index, node])
    .filter(([index, node]) => !isUntouched(plan, index, node));
  const items = [...itemNames].flatMap(([name, index]): [string, number, Node][] =>
    configs[index] === undefined ? [] : [[name, index, configs[index]]],
  );
  const state: SnapshotState = {
    ...rest,
    nodes: touched,
    items,
    ready: [...ready],
    active: [...active],
    waits: [...waits.values()],
  };
  const text = JSON.stringify(state);
  return { shape: SHAPE, graph: plan.sha256, sum: hash('sha256', text), text };
}

/** Null when the snapshot is not one of this plan and shape, or was changed. */
export function fromSnapshot(snapshot: Json, plan: Plan): RunState | null {
  const { shape, graph, sum, text } = (snapshot ?? {}) as { shape?: Json; graph?: Json; sum?: Json; text?: Json };
  if (shape !== SHAPE || graph !== plan.sha256 || typeof text !== 'string' || hash('sha256', text) !== sum) return null;
  const { nodes, items, ready, active, waits, ...rest } = JSON.parse(text) as SnapshotState;
  const run: RunState = {
    ...rest,
    plan,
    configs: [...plan.graph.nodes],
    nodes: plan.before.map((sources) => freshNode(sources.length)),
    itemNames: new Map(items.map(([name, index]) => [name, index])),
    ready: new Set(ready),
    active: new Set(active),
    waits: new Map(waits.map((wait) => [wait.wait, wait])),
  };
  for (const [, index, config] of items) run.configs[index] = config;
  for (const [index, node] of nodes) run.nodes[index] = node;
  return run;
}

function isUntouched(plan: Plan, index: number, node: NodeState): boolean {
  return (
    node.status === 'pending' &&
    node.visit === 0 &&
    node.attempt === 0 &&
    node.checks === 0 &&
    node.map === null &&
    node.items === null &&
    node.agent === null &&
    node.awaiting === null &&
    node.unmet === plan.before[index]?.length
  );
}
