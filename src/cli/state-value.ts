/** A value that a graph remembers, as commands read and show it. */
import { writtenState } from '../engine/graph-state.ts';
import { readEvents } from '../ledger/read-events.ts';
import type { Home } from '../schema/home.ts';
import type { Json } from '../schema/json.ts';
import type { StateRow } from '../views/state-view.ts';
import { bytes } from './plain-text.ts';

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
