/** The state graph of an agent, as data: which states there are, where each may lead, and what may be called in it. */
import type { Budgets } from '../schema/run.ts';
import type { SideEffectClass } from '../schema/effect.ts';

type AgentStateRule = {
  to: readonly string[];
  /** Classes of calls that are eligible here. */
  classes: readonly SideEffectClass[];
  /** Tools that are eligible here; undefined = all that the node may call. */
  tools?: readonly string[];
  /** Ask a person about every call in this state, whatever the policy says. */
  ask?: boolean;
  /** Tighter limits while in this state. */
  budgets?: Budgets;
};

export type StateGraph = { start: string; states: Readonly<Record<string, AgentStateRule>> };

/**
 * The states that an agent passes through to make a call, the last being the one that allows it: none when the current
 * state does, null when no state that can be reached does. A call moves the agent by itself, so nobody has to ask first.
 */
export function statesToCall(
  { states }: StateGraph,
  from: string,
  call: { tool: string; class: SideEffectClass },
): string[] | null {
  const allows = ({ classes, tools }: AgentStateRule): boolean =>
    classes.includes(call.class) && (tools?.includes(call.tool) ?? true);
  return shortestPath(states, from, allows);
}

/** Whether a tool can be called now or after moving on. What a call of it would change is judged when it is made. */
export function canOffer({ states }: StateGraph, from: string, tool: { name: string; isReadOnly: boolean }): boolean {
  const offers = ({ classes, tools }: AgentStateRule): boolean =>
    classes.some((each) => tool.isReadOnly || each !== 'read') && (tools?.includes(tool.name) ?? true);
  return shortestPath(states, from, offers) !== null;
}

/** The states after `from` on the shortest path to one that fits; breadth first, in the order of `to`. */
function shortestPath(
  states: StateGraph['states'],
  from: string,
  fits: (rule: AgentStateRule) => boolean,
): string[] | null {
  const paths = new Map<string, string[]>([[from, []]]);
  for (const [name, path] of paths) {
    const rule = states[name];
    if (rule === undefined) continue;
    if (fits(rule)) return path;
    for (const next of rule.to) if (!paths.has(next)) paths.set(next, [...path, next]);
  }
  return null;
}

/** Only `act` may change anything; `explore` and `validate` read. */
export const defaultStates: StateGraph = {
  start: 'intake',
  states: {
    intake: { to: ['explore', 'decide', 'failed'], classes: [] },
    explore: { to: ['decide', 'failed'], classes: ['read'] },
    decide: { to: ['explore', 'act', 'validate', 'done', 'failed'], classes: [] },
    act: { to: ['decide', 'validate', 'failed'], classes: ['read', 'write_local', 'external_mutation'] },
    validate: { to: ['decide', 'act', 'done', 'failed'], classes: ['read'] },
    done: { to: [], classes: [] },
    failed: { to: [], classes: [] },
  },
};
