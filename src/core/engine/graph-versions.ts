/**
 * Owns: what the version of a graph is, and the fold of the versions that were saved.
 *
 * V1 The version is the hash of the content: the order of fields, white space and `$schema` do not count.
 * V2 A version that was saved once is never lost: its text is an artifact that an event names.
 */
import { hash } from 'node:crypto';
import type { Event } from '../schema/event.ts';
import type { GraphSaved } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { Projection } from '../schema/ports.ts';

export type SavedVersion = Pick<GraphSaved, 'version' | 'artifact' | 'cause'> & { seq: number; at: string };
/** The saved versions of each graph, the latest last. */
export type GraphVersions = Record<string, SavedVersion[]>;

/** Older ones are in the ledger, but no longer listed. */
const MOST_LISTED = 500;

export const graphVersions: Projection<GraphVersions> = {
  name: 'graph-versions',
  version: 1,
  types: ['graph.saved'],
  initial: () => ({}),
  apply: addVersion,
};

function addVersion(state: GraphVersions, event: Event): GraphVersions {
  if (event.type !== 'graph.saved') return state;
  const { graph, version, artifact, cause } = event.data;
  const saved = Object.hasOwn(state, graph) ? (state[graph] ?? []) : [];
  state[graph] = [...saved, { version, artifact, cause, seq: event.seq, at: event.at }].slice(-MOST_LISTED);
  return state;
}

/** The hash of a graph as it is written in a file (V1). */
export function graphVersion(written: Json): string {
  const { $schema: _, ...content } = written as { [field: string]: Json };
  return hash('sha256', JSON.stringify(withSortedKeys(content)));
}

function withSortedKeys(value: Json): Json {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withSortedKeys);
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, withSortedKeys(each)]),
  );
}

export function savedVersions(state: GraphVersions, graph: string): readonly SavedVersion[] {
  return Object.hasOwn(state, graph) ? (state[graph] ?? []) : [];
}

/** Whether an event is needed: seeing the latest version once more is no news, changing to it is. */
export function isNewVersion(
  state: GraphVersions,
  { graph, version, cause }: Pick<GraphSaved, 'graph' | 'version' | 'cause'>,
): boolean {
  const latest = savedVersions(state, graph).at(-1);
  return latest?.version !== version || (cause !== 'run' && cause !== 'edited' && cause !== latest.cause);
}
