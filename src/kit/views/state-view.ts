/** Owns: the fold of what graphs remember, for people: the current values, and every change of them. */
import { MOST_FOLDED, writtenState } from '../../core/engine/graph-state.ts';
import { type Json, sizeOf } from '../../core/schema/json.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { seqKey } from './run-rows.ts';

/** One change of a value. A large value is left out; it is in the event `seq`. */
export type StateRow = {
  key: string;
  seq: number;
  at: string;
  /** The run and the node that wrote it; null where a person did. */
  run: string | null;
  node: string | null;
  by: string | null;
  bytes: number;
  value?: Json;
  deleted?: true;
};

const CURRENT = 'state/now/';
const currentPrefix = (namespace: string): string => `${CURRENT}${namespace}/`;
const changesPrefix = (namespace: string): string => `state/log/${namespace}/`;

export const stateView: View = {
  name: 'state',
  version: 1,
  types: ['call.ended', 'state.written'],
  take: ({ event }, rows) => {
    const written = event.pen === 'run' ? writtenState(event) : null;
    if (written === null) return;
    const { namespace, key, entry } = written;
    const size = entry === null ? 0 : sizeOf(entry.value);
    const row: StateRow = {
      key,
      seq: event.seq,
      at: event.at,
      run: event.run,
      node: event.type === 'call.ended' ? event.data.node : null,
      by: event.type === 'state.written' ? event.data.by : null,
      bytes: size,
      ...(entry === null ? { deleted: true } : size <= MOST_FOLDED ? { value: entry.value } : {}),
    };
    rows.put(currentPrefix(namespace) + key, entry === null ? null : row);
    rows.put(changesPrefix(namespace) + seqKey(event.seq), row);
  },
};

/** In the order of the keys. */
export function currentState(rows: Rows, namespace: string): StateRow[] {
  return [...rows.each<StateRow>(currentPrefix(namespace))].map(([, row]) => row);
}

/** The current values of all namespaces. */
export function everyState(rows: Rows): { namespace: string; row: StateRow }[] {
  return [...rows.each<StateRow>(CURRENT)].map(([name, row]) => ({
    namespace: name.slice(CURRENT.length).split('/', 1)[0] ?? '',
    row,
  }));
}

export function currentValue(rows: Rows, namespace: string, key: string): StateRow | undefined {
  return rows.get<StateRow>(currentPrefix(namespace) + key);
}

/** The last changes, of all keys or of one, the latest last; limit 0 for all. */
export function stateChanges(
  rows: Rows,
  namespace: string,
  { key, limit }: { key?: string; limit: number },
): StateRow[] {
  const found: StateRow[] = [];
  for (const [, row] of rows.each<StateRow>(changesPrefix(namespace), { reverse: true })) {
    if (key === undefined || row.key === key) found.push(row);
    if (limit > 0 && found.length >= limit) break;
  }
  return found.toReversed();
}
