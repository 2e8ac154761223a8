/**
 * Owns: that text which looks like a template is taken as it is. Inputs of nodes are templates; the code of a fence and
 * the input that a model wrote out are not. What has a hole in it goes into the input of the run, which is not filled.
 */
import { namesIn } from '../engine/template.ts';
import type { Json } from '../schema/json.ts';

/** What is kept aside, by node and field. */
export type Literals = Map<string, Json>;

export function literally<T extends Json>(literals: Literals, node: string, field: string, value: T): T | string {
  if (namesIn(value).length === 0) return value;
  // The prefix keeps a node named __proto__ from meaning something else in an object.
  const name = `of_${node}_${field}`;
  literals.set(name, value);
  return `{{input.literal.${name}}}`;
}

/** The input with which the graph has to be started. */
export function inputWith(literals: Literals): Json {
  return literals.size === 0 ? null : { literal: Object.fromEntries(literals) };
}
