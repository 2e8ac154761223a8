/** Whether an edge leads on: its source is done (or has failed, for such an edge), and its output meets the condition. */
import type { RunState } from './run-state.ts';
import { foldText } from './free-text.ts';
import { leadsBack } from './graph-plan.ts';
import { fieldAt } from './template.ts';
import { guessesAbout } from './unknown-value.ts';

export function edgeApplies(run: RunState, edgeIndex: number): boolean {
  const edge = run.plan.graph.edges[edgeIndex];
  const source = run.nodes[run.plan.index.get(edge?.from ?? '') ?? -1];
  if (edge === undefined || source?.status !== (edge.failed === true ? 'failed' : 'done')) return false;
  if (edge.when === undefined) return true;
  const value = fieldAt(source.output, edge.when.field === '' ? [] : edge.when.field.split('.'));
  const equals = JSON.stringify(edge.when.equals);
  if (JSON.stringify(value) === equals) return true;
  const isFolded = edge.when.text === 'folded' && typeof value === 'string' && guessesAbout(value) === null;
  if (isFolded) return foldText(value) === foldText(edge.when.equals);
  const guesses = guessesAbout(value);
  if (guesses === null || typeof value !== 'string') return false;
  return guesses({ value, equals, text: `${value} is ${equals}`, isBack: leadsBack(edge) });
}
