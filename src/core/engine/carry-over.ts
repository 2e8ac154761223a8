/** What a run that is made from an earlier one starts with: what was done counts, what may have happened stays in doubt. */
import type { NewEvent } from '../schema/event.ts';
import type { Node } from '../schema/graph.ts';
import { isFailedEnd } from './child-terms.ts';
import { errorBranch } from './node-failure.ts';
import { outcomeEvent } from './step-events.ts';
import { nodeNamed, type NodeState, type RunState } from './run-state.ts';

/**
 * For one node of the graph of `next`, and the items of a map; the events of all nodes before it are already folded into
 * `next`.
 */
export function carriedOverEvents(source: RunState, next: RunState, index: number): NewEvent[] {
  const before = source.plan.index.get(next.configs[index]?.id ?? '');
  if (before === undefined) return [];
  const items = (source.nodes[before]?.items ?? []).filter((item) => isSameItem(source, next, item));
  return [...items, before].flatMap((each) => eventsOfNode(source, next, each));
}

function eventsOfNode(source: RunState, next: RunState, index: number): NewEvent[] {
  const [node, config] = [source.nodes[index], source.configs[index]];
  if (node === undefined || config === undefined) return [];
  if (countsAsSettled(node, config))
    return [
      {
        type: 'node.settled',
        run: next.id,
        data: { node: config.id, status: node.status, reason: `reused from run ${source.id}`, output: node.output },
      },
    ];
  return config.kind === 'agent' ? [] : callInDoubt(source, next, config.id, node);
}

/** A node that is done stays done, and one whose failure led to another node stays failed. */
function countsAsSettled(node: NodeState, config: Node): node is NodeState & { status: 'done' | 'failed' } {
  if (node.status === 'failed') return errorBranch(config) !== null;
  return node.status === 'done' && !(isStarter(config) && isFailedEnd(node.output));
}

const isStarter = (config: Node): boolean => config.kind === 'tool' && config.tool === 'run.start';

/** The call keeps its name, so that a replay can distinguish it from what this run decided itself. */
function callInDoubt(source: RunState, next: RunState, node: string, { again, doubt }: NodeState): NewEvent[] {
  if (!doubt || again === null) return [];
  const { key, raised: _, approved: __, unaccepted: ___, stopped: ____, unseen, elsewhere, ...call } = again;
  const error = unseen ?? `nobody saw how it ended when run ${source.id} failed`;
  const known = {
    ...(unseen !== undefined && { unseen: true as const }),
    ...(elsewhere !== undefined && { elsewhere: true as const }),
  };
  return [
    { type: 'call.started', run: next.id, data: { node, ...call, ...(key === null ? {} : { key }) } },
    outcomeEvent(next, { call: again.call, node }, { status: 'cancelled', error, ...known }, false),
  ];
}

function isSameItem(source: RunState, next: RunState, item: number): boolean {
  const found = next.nodes[nodeNamed(next, source.configs[item]?.id ?? null) ?? -1];
  return JSON.stringify(found?.item) === JSON.stringify(source.nodes[item]?.item);
}
