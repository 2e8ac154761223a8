/** The state graph of an agent, as data: which states there are, where each may lead, and what may be called in it. */
import type { Budgets } from '../schema/run.ts';
import type { SideEffectClass } from '../schema/effect.ts';

export type AgentStateRule = {
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
