/** What a run that continues a failed one starts with: what was done counts, what may have happened stays in doubt. */
import type { NewEvent } from '../schema/event.ts';
import type { Node } from '../schema/graph.ts';
import { isFailedEnd } from './child-terms.ts';
import { outcomeEvent } from './step-events.ts';
import { nodeNamed, type NodeState, type RunState } from './run-state.ts';

/** For one node of the graph, and the items of a map; the events of all nodes before it are already folded into `next`. */
export function carriedOverEvents(failed: RunState, next: RunState, index: number): NewEvent[] {
  const items = (failed.nodes[index]?.items ?? []).filter((item) => isSameItem(failed, next, item));
  return [...items, index].flatMap((each) => eventsOfNode(failed, next, each));
}

function eventsOfNode(failed: RunState, next: RunState, index: number): NewEvent[] {
  const [node, config] = [failed.nodes[index], failed.configs[index]];
  if (node === undefined || config === undefined) return [];
  if (node.status === 'done' && !(isStarter(config) && isFailedEnd(node.output)))
    return [
      {
        type: 'node.settled',
        run: next.id,
        data: { node: config.id, status: 'done', reason: `reused from run ${failed.id}`, output: node.output },
      },
    ];
  return config.kind === 'agent' ? [] : callInDoubt(failed, next, config.id, node);
}

const isStarter = (config: Node): boolean => config.kind === 'tool' && config.tool === 'run.start';

/** The call keeps its name, so that a replay can distinguish it from what this run decided itself. */
function callInDoubt(failed: RunState, next: RunState, node: string, { again, doubt }: NodeState): NewEvent[] {
  if (!doubt || again === null) return [];
  const { key, raised: _, approved: __, unaccepted: ___, ...call } = again;
  const error = `nobody saw how it ended when run ${failed.id} failed`;
  return [
    { type: 'call.started', run: next.id, data: { node, ...call, ...(key === null ? {} : { key }) } },
    outcomeEvent(next, { call: again.call, node }, { status: 'cancelled', error }, false),
  ];
}

function isSameItem(failed: RunState, next: RunState, item: number): boolean {
  const found = next.nodes[nodeNamed(next, failed.configs[item]?.id ?? null) ?? -1];
  return JSON.stringify(found?.item) === JSON.stringify(failed.nodes[item]?.item);
}
