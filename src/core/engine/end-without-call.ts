/** Owns: how nodes end that need no call for it: a map whose items are done, a condition, a transform. Pure. */
import type { Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import { outputProblem } from './data-contract.ts';
import { evaluateCondition, leftSide } from './evaluate-condition.ts';
import { failureOf, type NodeEnd } from './node-failure.ts';
import { inputOf, lookupFor } from './node-input.ts';
import { mostItems } from './mode-rules.ts';
import { mapList } from './routing.ts';
import type { RunState } from './run-state.ts';
import { fillTemplate } from './template.ts';

/** Characters of a compared text that are repeated in the output of its condition. */
const LONGEST_VALUE = 1000;

type Calling = 'tool' | 'agent' | 'graph' | 'wait';

export function endWithoutCall(run: RunState, index: number, config: Exclude<Node, { kind: Calling }>): NodeEnd {
  switch (config.kind) {
    case 'map':
      return promised(config, endOfMap(run, index, config));
    case 'typed_condition':
      return promised(config, endOfCondition(run, index, config));
    case 'transform':
      return promised(config, transformed(run, index, config));
  }
}

function endOfMap(run: RunState, index: number, config: Extract<Node, { kind: 'map' }>): NodeEnd {
  const items = run.nodes[index]?.items ?? null;
  if (items !== null)
    return { status: 'done', reason: '', output: items.map((item) => run.nodes[item]?.output ?? null) };
  const list = mapList(run, index, config);
  if (Array.isArray(list))
    return failureOf(
      config,
      `"over" gave ${list.length} items, and at most ${mostItems(config, run.mode)} are allowed`,
    );
  return failureOf(config, `"over" gave ${JSON.stringify(list)?.slice(0, 100)}, which is not a list`);
}

/** A condition is evaluated here and now: no call is made, and its branch and the reason are in the event. */
function endOfCondition(run: RunState, index: number, config: Extract<Node, { kind: 'typed_condition' }>): NodeEnd {
  const values = { input: inputOf(run, index), lookup: lookupFor(run, index) };
  const found = evaluateCondition(config, values);
  if ('error' in found) return failureOf(config, found.error);
  const value = config.operator === undefined ? found.isTrue : shortValue(leftSide(config, values));
  return { status: 'done', reason: found.shown, output: { branch: String(found.isTrue), value } };
}

function transformed(run: RunState, index: number, { value }: Extract<Node, { kind: 'transform' }>): NodeEnd {
  const output = value === undefined ? inputOf(run, index) : fillTemplate(value, lookupFor(run, index));
  return { status: 'done', reason: '', output };
}

/** An end that gives something else than the node promises is a failure. */
function promised(config: Node, end: NodeEnd): NodeEnd {
  const problem = end.status === 'done' ? outputProblem(config, end.output) : null;
  return problem === null ? end : failureOf(config, problem);
}

/** The compared value as an output; a large one stays where it came from. */
function shortValue(value: Json): Json {
  const isShort = typeof value === 'string' ? value.length <= LONGEST_VALUE : typeof value !== 'object';
  return isShort ? value : null;
}
