/**
 * Owns: the fold of what graphs remember, and the check of a write against the current value.
 * Does not own: the tools that read and write (rooms/graphs/tools/state-tools.ts), when a write is recorded (calls.ts).
 *
 * S1 A write is part of the outcome of its call, one record of the ledger: it is there exactly if the call has ended well.
 * S2 A write is compared with the current value, and staged, in one step: two runs never replace the same value.
 * S3 The fold contains small values only, so that opening a ledger does not depend on how much graphs remember.
 */
import { hash } from 'node:crypto';
import type { Event } from '../schema/event.ts';
import type { StateEntry, StateWrite } from '../schema/state-entry.ts';
import { type Json, sizeOf } from '../schema/json.ts';
import type { Projection, StateStore } from '../schema/ports.ts';
import type { Outcome } from '../schema/tool.ts';

/** By `namespace/key`; a namespace contains no slash. */
export type GraphState = Record<string, StateEntry>;

/** A value that takes more characters is not folded but read from its event. */
export const MOST_FOLDED = 4096;

export const graphState: Projection<GraphState> = {
  name: 'graph-state',
  version: 1,
  types: ['state.written', 'call.ended'],
  initial: () => ({}),
  apply: applyStateEvent,
};

function applyStateEvent(state: GraphState, event: Event): GraphState {
  const written = writtenState(event);
  if (written === null) return state;
  const name = stateName(written.namespace, written.key);
  if (written.entry === null) delete state[name];
  else state[name] = toFolded(written.entry);
  return state;
}

export const stateName = (namespace: string, key: string): string => `${namespace}/${key}`;

export type WrittenState = { namespace: string; key: string; entry: (StateEntry & { value: Json }) | null };

/** What an event changes in the state of a graph, with the complete value; `entry` is null for a deletion. */
export function writtenState(event: Event): WrittenState | null {
  const change = changeIn(event);
  if (change === null) return null;
  const { namespace, key, value } = change;
  const entry = value === undefined ? null : { seq: event.seq, at: event.at, run: event.run, value };
  return { namespace, key, entry };
}

function changeIn(event: Event): { namespace: string; key: string; value: Json | undefined } | null {
  if (event.type === 'state.written') {
    const { namespace, key, deleted, value = null } = event.data;
    return { namespace, key, value: deleted === true ? undefined : value };
  }
  if (event.type !== 'call.ended' || event.data.state === undefined) return null;
  const { namespace, key, deleted } = event.data.state;
  const output = event.data.output as { value?: Json } | null;
  return { namespace, key, value: deleted === true ? undefined : (output?.value ?? null) };
}

function toFolded(entry: StateEntry & { value: Json }): StateEntry {
  if (sizeOf(entry.value) <= MOST_FOLDED) return entry;
  const { value, ...rest } = entry;
  return { ...rest, digest: stateDigest(value) };
}

/** Equal for equal values, whatever the order of their fields. */
export function stateDigest(value: Json): string {
  return hash('sha256', canonicalText(value));
}

function canonicalText(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;
  const fields = Object.keys(value).toSorted();
  return `{${fields.map((field) => `${JSON.stringify(field)}:${canonicalText(value[field] ?? null)}`).join()}}`;
}

/** An outcome that may be recorded now: one whose write does not find what it expects has failed (S2). */
export function checkStateWrite(store: StateStore, outcome: Outcome): Outcome {
  if (outcome.status !== 'ok' || outcome.state === undefined) return outcome;
  const problem = expectationProblem(store, outcome.state);
  return problem === null ? outcome : { status: 'failed', error: problem };
}

/** Why a write may not be made now; null when it may. */
export function expectationProblem(store: StateStore, write: StateWrite): string | null {
  const { namespace, key, expect } = write;
  if (expect === undefined) return null;
  const current = store.get(namespace, key);
  const digest = current === undefined ? stateDigest(null) : (current.digest ?? stateDigest(current.value ?? null));
  return digest === stateDigest(expect) ? null : mismatchText(write, expect, current);
}

function mismatchText({ namespace, key }: StateWrite, expected: Json, current: StateEntry | undefined): string {
  const writer = current?.run ?? null;
  const by = writer === null ? '' : ` (written by run ${writer})`;
  const found =
    current === undefined
      ? 'not there'
      : current.digest === undefined
        ? shortJson(current.value ?? null)
        : 'another value';
  return `the state "${key}" of ${namespace} is ${found}${by}, and ${expected === null ? 'no value' : shortJson(expected)} was expected; nothing was written`;
}

function shortJson(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

/** A call that belongs to no node cannot write: only the end of a node is recorded exactly once. */
export function refuseStateWrite(outcome: Outcome): Outcome {
  if (outcome.status !== 'ok' || outcome.state === undefined) return outcome;
  return { status: 'failed', error: 'state is written by a write_state node without acceptance, and by nothing else' };
}

/** State that lives in memory, for an engine without a store of it. */
export function memoryState(initial: GraphState = graphState.initial()): StateStore {
  let state = initial;
  return {
    get: (namespace, key) => state[stateName(namespace, key)],
    note: (event) => void (state = applyStateEvent(state, event)),
  };
}
