/** Owns: what a step may demand of its result. It takes checks only; prose needs a judge and belongs to the task. */
import type { Graph } from '../../core/schema/graph.ts';
import { type Check, parseCheck, GRAMMAR } from './checks.ts';

/** The check that a text is read as, or why it is none. */
export function readStepCheck(text: string): Check | { kind: 'problem'; problem: string } {
  const shown = `"${text.trim().slice(0, 80)}"`;
  const check = parseCheck(text);
  if (check?.kind === 'problem') return { kind: 'problem', problem: `${shown}: ${check.problem}` };
  return (
    check ?? { kind: 'problem', problem: `${shown} is prose, and a step accepts checks only: ${WORDS}. ${ADVICE}` }
  );
}

/** Why a text cannot be the acceptance of a step; null when it can. */
export function stepAcceptanceProblem(text: string): string | null {
  const check = readStepCheck(text);
  return check.kind === 'problem' ? check.problem : null;
}

/** For plans of an earlier version, which let a step have prose that nobody ever judged. */
export function withoutProse(graph: Graph): Graph {
  const nodes = graph.nodes.map((node) => ({
    ...node,
    acceptance: node.acceptance.filter((text) => parseCheck(text) !== null),
  }));
  return { ...graph, nodes };
}

const WORDS = GRAMMAR.map(({ word }) => word).join(', ');
const ADVICE = "Prose belongs to the task's own criteria";
