/**
 * Owns: text that looks like a template and must not be one. Inputs of nodes are templates; the code of a fence and an
 * input that a model wrote are not. A text with a placeholder is moved into the input of the run, which is never expanded.
 */
import { templateNames } from '../../core/engine/template.ts';
import type { Json } from '../../core/schema/json.ts';

/** The texts that were moved, by node and field. */
export type Literals = Map<string, Json>;

export function asLiteral<T extends Json>(literals: Literals, node: string, field: string, value: T): T | string {
  if (templateNames(value).length === 0) return value;
  // The prefix keeps a node named __proto__ from meaning something else in an object.
  const name = `of_${node}_${field}`;
  literals.set(name, value);
  return `{{input.literal.${name}}}`;
}

/** The input that the graph has to be started with. */
export function inputWithLiterals(literals: Literals): Json {
  return literals.size === 0 ? null : { literal: Object.fromEntries(literals) };
}
