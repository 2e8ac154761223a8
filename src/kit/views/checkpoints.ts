/** Checkpoints of a run: after each node, what was known. They follow from its events; nothing is stored for them. */
import type { Event } from '../../core/schema/event.ts';
import type { Json } from '../../core/schema/json.ts';
import { writtenState } from '../../core/engine/graph-state.ts';

export type Checkpoint = {
  /** The event that settled the node. */
  seq: number;
  at: string;
  node: string;
  status: 'done' | 'failed' | 'skipped';
  output: Json;
  /** What the graph remembers from here on, where the node has written it. */
  state?: { key: string; value: Json; deleted?: true };
  /** Nodes whose outputs are known from here on, in the order in which they came. */
  known: string[];
};

export function checkpointsOf(events: readonly Event[]): Checkpoint[] {
  const known = new Set<string>();
  return events.flatMap((event) => {
    for (const name of restartedBy(event)) known.delete(name);
    const settled = settledBy(event);
    if (settled === null) return [];
    if (settled.status === 'done') known.add(settled.node);
    return [{ seq: event.seq, at: event.at, ...settled, ...stateOf(event), known: [...known] }];
  });
}

type Settled = Pick<Checkpoint, 'node' | 'status' | 'output'>;

function settledBy({ type, data }: Event): Settled | null {
  if (type === 'node.settled') return { node: data.node, status: data.status, output: data.output };
  if (type === 'error.handled' && data.settles !== undefined)
    return { node: data.node, status: data.settles, output: null };
  if (type === 'wait.closed') {
    const { node, becomes, answer } = data;
    if (node === null || (becomes !== 'done' && becomes !== 'failed')) return null;
    return { node, status: becomes, output: answer.output ?? answer.text ?? null };
  }
  if (type !== 'call.ended' && type !== 'decision.made' && type !== 'decision.rejected') return null;
  const { node, settles } = data;
  return node === null || settles === undefined ? null : { node, status: settles, output: outputIn({ type, data }) };
}

type Ending = Pick<Extract<Event, { type: 'call.ended' | 'decision.made' | 'decision.rejected' }>, 'type' | 'data'>;

function outputIn(ending: Ending): Json {
  const { data } = ending;
  if ('decision' in data) return data.decision.kind === 'Finish' ? data.decision.output : null;
  return 'status' in data && data.status === 'ok' ? data.output : null;
}

function restartedBy(event: Event): readonly string[] {
  return 'restarts' in event.data ? (event.data.restarts ?? []) : [];
}

function stateOf(event: Event): Pick<Checkpoint, 'state'> {
  const written = writtenState(event);
  if (written === null) return {};
  const { key, entry } = written;
  return { state: entry === null ? { key, value: null, deleted: true } : { key, value: entry.value } };
}
