/** What a node is given: its input template filled from the run, or the output of the node before it. */
import type { Json } from '../schema/json.ts';
import { edgeApplies } from './edge-condition.ts';
import { stateReadId } from './state-templates.ts';
import { nodeNamed, type RunState } from './run-state.ts';
import { fillTemplate, type Lookup } from './template.ts';

export function inputOf(run: RunState, index: number): Json {
  const config = run.configs[index];
  const lookup = lookupFor(run, index);
  return config?.input === undefined ? (lookup('item') ?? lookup('last') ?? null) : fillTemplate(config.input, lookup);
}

export function lookupFor(run: RunState, index: number): Lookup {
  const owner = run.nodes[index]?.map ?? null;
  return (name) => {
    if (name === 'input') return run.input;
    if (name === 'item') return owner === null ? undefined : run.nodes[index]?.item;
    if (name === 'last') return lastOf(run, owner ?? index);
    const node = nodeNamed(run, name);
    if (node === undefined && name === 'date') return run.date;
    return run.nodes[node ?? -1]?.output;
  };
}

/** The output of the last node that a person named in `needs`, else of the source of the first edge that leads here, else the run's input. */
function lastOf(run: RunState, index: number): Json {
  const config = run.configs[index];
  const need = config?.needs.findLast((name) => name !== stateReadId(config.id));
  if (need !== undefined) return run.nodes[nodeNamed(run, need) ?? -1]?.output ?? null;
  const taken = (run.plan.forwardTo[index] ?? []).find((edge) => edgeApplies(run, edge));
  const source = run.plan.graph.edges[taken ?? -1]?.from;
  return source === undefined ? run.input : (run.nodes[nodeNamed(run, source) ?? -1]?.output ?? null);
}
