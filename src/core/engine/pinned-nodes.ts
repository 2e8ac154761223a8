/** Pins: outputs that a person has fixed for nodes while writing a graph. A pinned node is not run. */
import type { Graph } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';

/** Why a pinned node counts as done. */
export const PINNED = 'pinned';

/** The fixed output of a node; undefined when it is to run. The parts of a pinned node (`node__ask`) give null. */
export function pinOf({ pins }: Pick<Graph, 'pins'>, node: string): Json | undefined {
  if (pins === undefined) return undefined;
  if (Object.hasOwn(pins, node)) return pins[node] ?? null;
  return Object.keys(pins).some((pinned) => node.startsWith(`${pinned}__`)) ? null : undefined;
}
