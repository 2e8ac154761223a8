/** Owns: whether what a graph and its nodes are given, and what they give, fits the schemas that people wrote for it. */
import { OkaError } from '../schema/errors.ts';
import type { Graph, Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import { findMismatch, type Schema } from '../schema/json-schema.ts';
import type { Outcome } from '../schema/tool.ts';
import { guessesAbout } from './unknown-value.ts';

/** Why a node cannot work with its input; null when it can. */
export function inputProblem({ input_schema: schema }: Node, input: () => Json): string | null {
  if (schema === undefined) return null;
  const mismatch = mismatchOf(schema, input());
  return mismatch === null ? null : `its input does not fit input_schema: ${mismatch}`;
}

/** Why an output is not what the node promises; null when it is. */
export function outputProblem({ output_schema: schema }: Pick<Node, 'output_schema'>, output: Json): string | null {
  if (schema === undefined) return null;
  const mismatch = mismatchOf(schema, output);
  return mismatch === null ? null : `its output does not fit output_schema: ${mismatch}`;
}

/** A call that gave something else than its node promises has failed, and trying again would not help. */
export function checkOutcome(node: Node | undefined, outcome: Outcome): Outcome {
  if (node?.kind !== 'tool' || outcome.status !== 'ok') return outcome;
  const problem = outputProblem(node, outcome.output);
  return problem === null ? outcome : { status: 'failed', error: problem, temporary: false };
}

/** Refuses to start a graph with an input that it is not for. */
export function assertInput({ id, inputs }: Graph, input: Json): void {
  const mismatch = inputs === undefined ? null : mismatchOf(inputs, input, 'input');
  if (mismatch !== null)
    throw new OkaError('usage', `the graph ${id} cannot take this input: ${mismatch}`, {
      fix: `Its input is described under "inputs": oka graph show ${id}`,
    });
}

/** What a simulation does not know is taken to fit. */
function mismatchOf(schema: Json, value: Json, name?: string): string | null {
  const mismatch = findMismatch(schema as Schema, value, name);
  return mismatch !== null && guessesAbout(value) === null ? mismatch : null;
}
