/**
 * Owns: the reads of one turn of an agent that are in progress together. Parts of decide and of the fold.
 *
 * T1 Only calls at the head of the queue that read start together, and only in one state of the agent; a call that may
 *    change anything starts when every call before it is settled.
 * T2 An outcome belongs to the entry of its call in the evidence, whatever the order in which they end.
 * T3 A read that did not end by itself (it waits, is to be tried again, was stopped or lost in a crash, or tried more than
 *    it may) goes back to its place in the queue and is made again alone: approvals, retries and doubts are about one
 *    call of a node at a time.
 */
import type { Event } from '../schema/event.ts';
import { moveToCall } from './agent.ts';
import { type StateGraph, statesToCall } from './agent-states.ts';
import type { AgentState, OpenCall, OpenRead, QueuedCall } from './run-state.ts';

/** So many at once are enough; a model may ask for more. */
const MOST_READS = 8;

/** The calls that start together now, or beside the reads in progress; none when only one could (T1). */
export function readsToStart(
  { queue, reads, state }: AgentState,
  states: StateGraph,
  canRead: (call: QueuedCall) => boolean,
): QueuedCall[] {
  const stateFor = (call: QueuedCall): string | null => {
    const path = statesToCall(states, state, { tool: call.tool, class: 'read' });
    return path === null ? null : (path.at(-1) ?? state);
  };
  const common = reads.length > 0 || queue[0] === undefined ? state : stateFor(queue[0]);
  const mayJoin = (call: QueuedCall): boolean =>
    call.isAlone !== true && canRead(call) && common !== null && stateFor(call) === common;
  const end = queue.findIndex((call) => !mayJoin(call));
  const joining = queue.slice(0, end < 0 ? undefined : end).slice(0, MOST_READS - reads.length);
  return reads.length + joining.length > 1 ? joining : [];
}

export function applyReadStarted(agent: AgentState, states: StateGraph, call: OpenCall): void {
  const next = agent.queue.shift();
  if (next !== undefined) agent.reads.push({ ...call, entry: next.entry });
  moveToCall(agent, states, call);
}

type Ended = Extract<Event, { type: 'call.ended' }>['data'];

/** False when the call is none of the reads in progress. */
export function applyReadEnded(agent: AgentState, ended: Ended): boolean {
  const read = agent.reads.find(({ call }) => call === ended.call);
  if (read === undefined) return false;
  agent.reads = agent.reads.filter((each) => each !== read);
  const { status, output, error = null, retried } = ended;
  const entry = agent.evidence[read.entry];
  if (status === 'waiting' || status === 'cancelled' || retried === true || read.raised === true)
    returnRead(agent, read, retried === true);
  else if (entry !== undefined) Object.assign(entry, { outcome: status, output, error });
  return true;
}

/** After a restart, what nobody gave an outcome is made again. */
export function returnReads(agent: AgentState): void {
  for (const read of agent.reads) returnRead(agent, read, false);
  agent.reads = [];
}

/** Puts a read that did not end by itself back into its place in the queue (T3). */
function returnRead(agent: AgentState, { tool, input, entry }: OpenRead, isRetry: boolean): void {
  const call: QueuedCall = { tool, input, entry, isAlone: true, ...(isRetry ? { isRetry } : {}) };
  agent.queue = [...agent.queue, call].toSorted((a, b) => a.entry - b.entry);
}
