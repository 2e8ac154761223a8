/** Whether an edge leads on: its source is done (or has failed, for such an edge), and its output meets the condition. */
import type { RunState } from './run-state.ts';
import { fieldAt } from './template.ts';

export function edgeApplies(run: RunState, edgeIndex: number): boolean {
  const edge = run.plan.graph.edges[edgeIndex];
  const source = run.nodes[run.plan.index.get(edge?.from ?? '') ?? -1];
  if (edge === undefined || source?.status !== (edge.failed === true ? 'failed' : 'done')) return false;
  if (edge.when === undefined) return true;
  const value = fieldAt(source.output, edge.when.field === '' ? [] : edge.when.field.split('.'));
  return JSON.stringify(value) === JSON.stringify(edge.when.equals);
}
