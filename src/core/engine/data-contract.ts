/**
 * Owns: whether what a graph and its nodes are given, and what they give, fits the schemas that people wrote for it; and what
 * schemas say of the types of values before a run, so that a comparison can be tried.
 */
import { OkaError } from '../schema/errors.ts';
import type { Graph, Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import { findMismatch, type Schema } from '../schema/json-schema.ts';
import type { Outcome } from '../schema/tool.ts';
import type { TypeLookup, ValueType } from './condition-problems.ts';
import { typeName } from './evaluate-condition.ts';
import { fieldAt, isTemplate, onlyPath } from './template.ts';
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

/** The schema of what a tool gives; undefined where it is not known. */
export type OutputSchemas = (tool: string) => Json | undefined;

/** The type of what a template such as `count.stdout` refers to; null where only a run can know it. */
export function knownTypes(graph: Graph, outputs: OutputSchemas): TypeLookup {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const find = (path: string, depth = 0): ValueType | null => {
    const [head = '', ...fields] = path.split('.');
    if (head === 'input') return typeInSchema(graph.inputs, fields);
    const node = nodes.get(head);
    if (node === undefined || canBeOther(node) || Object.hasOwn(graph.pins ?? {}, head)) return null;
    if (node.output_schema !== undefined) return typeInSchema(node.output_schema, fields);
    if (node.kind === 'tool') return typeInSchema(outputs(node.tool), fields);
    if (node.kind !== 'transform' || depth > MOST_STEPS) return null;
    const value = node.value === undefined ? undefined : fieldAt(node.value, fields);
    if (value === undefined || typeof value !== 'string' || !isTemplate(value))
      return value === undefined ? null : typeName(value);
    const inner = onlyPath(value);
    return inner === null ? 'text' : find(inner, depth + 1);
  };
  return (path) => find(path);
}

/** A value that is handed on from one transform to the next. */
const MOST_STEPS = 20;

/** What a node gives when it has failed is of any type. */
const canBeOther = ({ on_error: then }: Node): boolean => then !== undefined && then !== 'fail' && then !== 'retry';

/** The path of what a node is given, where that is one value with a name. */
export function inputPath({ input, needs }: Node): string | null {
  if (typeof input === 'string') return onlyPath(input);
  const [only] = needs;
  return input === undefined && needs.length === 1 && only !== undefined ? only : null;
}

const TYPES: Readonly<Record<string, ValueType>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  array: 'list',
  object: 'object',
};

const isObject = (value: Json | undefined): value is Record<string, Json> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Only where a schema names exactly one type. A field that may be absent is of its type, or nothing. */
function typeInSchema(schema: Json | undefined, [field, ...rest]: readonly string[]): ValueType | null {
  if (!isObject(schema)) return null;
  if (field !== undefined) {
    const { properties, items } = schema;
    if (isObject(properties)) return Object.hasOwn(properties, field) ? typeInSchema(properties[field], rest) : null;
    return /^\d+$/.test(field) ? typeInSchema(items, rest) : null;
  }
  return typeof schema['type'] === 'string' ? (TYPES[schema['type']] ?? null) : null;
}
