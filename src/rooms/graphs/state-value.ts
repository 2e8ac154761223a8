/** A value that a graph remembers, as commands read and show it. */
import { writtenState } from '../../core/engine/graph-state.ts';
import { readEvents } from '../../core/ledger/read-events.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Json } from '../../core/schema/json.ts';
import type { StateRow } from '../../kit/views/state-view.ts';
import { bytes } from '../../kit/cli/plain-text.ts';

/** The complete value; a large one is read from the event that wrote it. */
export async function completeValue(home: Home, { value, deleted, seq }: StateRow): Promise<Json> {
  if (value !== undefined || deleted === true) return value ?? null;
  for await (const event of readEvents(home.ledgers.run, { from: seq, to: seq }))
    return writtenState(event)?.entry?.value ?? null;
  return null;
}

export function describeValue({ value, deleted, bytes: size }: StateRow): string {
  if (deleted === true) return '(removed)';
  return value === undefined ? `(${bytes(size)})` : JSON.stringify(value);
}

export function describeWriter({ run, node, by }: StateRow): string {
  if (by !== null) return by;
  return node === null ? (run ?? '') : `${run}, ${node}`;
}
