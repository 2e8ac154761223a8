/**
 * The tools of graphs that remember: reading and writing state. A write changes nothing itself: it says with its outcome
 * what is to be remembered, and the engine records both in one event (core/engine/graph-state.ts).
 */
import { z } from 'zod';
import { type LargeState, MOST_INLINE_STATE, StateKey, StateNamespace } from '../../../core/schema/state-entry.ts';
import { type Json, JsonValue, setField, sizeOf } from '../../../core/schema/json.ts';
import type { ArtifactStore } from '../../../core/schema/ports.ts';
import type { ArtifactRef, Tool } from '../../../core/schema/tool.ts';
import { defineTool, ok } from '../../../kit/define-tool.ts';

type StatePorts = {
  /** The current value; undefined when there is none. */
  read: (namespace: string, key: string) => Promise<Json | undefined>;
  artifacts: Pick<ArtifactStore, 'put'>;
};

/** Their results are read from the record, never repeated: state has changed since. */
const annotations = { read_only: false, idempotent: false, risk: 'low' } as const;

export function stateTools({ read, artifacts }: StatePorts): Tool[] {
  return [readTool(read), valuesTool(read), writeTool(artifacts)];
}

/** A template may give a number. */
const Key = z.union([StateKey, z.number()]).describe('The name of the value.');
const KeyAndValue = z.strictObject({
  key: z.string().describe('The name of the value.'),
  value: JsonValue.describe('The value; null when there is none.'),
});

function readTool(read: StatePorts['read']): Tool {
  return defineTool({
    name: 'state.read',
    about: 'Reads a value that a graph remembers.',
    input: z.strictObject({
      namespace: StateNamespace,
      key: Key,
      default: JsonValue.optional().describe('The value when there is none.'),
    }),
    output: KeyAndValue,
    annotations,
    targets: [],
    internal: true,
    class: 'read',
    act: async ({ namespace, key, default: otherwise = null }) => {
      const value = await read(namespace, String(key));
      return { ...ok({ key: String(key), value: value ?? otherwise }), isInline: true };
    },
  });
}

function valuesTool(read: StatePorts['read']): Tool {
  return defineTool({
    name: 'state.values',
    about: 'Reads several values that a graph remembers, for the templates of a node.',
    input: z.strictObject({
      namespace: StateNamespace,
      keys: z.array(StateKey).min(1).max(100).describe('The names of the values.'),
    }),
    output: z.record(z.string(), JsonValue),
    annotations,
    targets: [],
    internal: true,
    class: 'read',
    act: async ({ namespace, keys }) => {
      const values: Record<string, Json> = {};
      for (const key of keys) setField(values, key, (await read(namespace, key)) ?? null);
      return { ...ok(values), isInline: true };
    },
  });
}

function writeTool(artifacts: StatePorts['artifacts']): Tool {
  return defineTool({
    name: 'state.write',
    about: 'Lets a graph remember a value, once the node is done.',
    input: z.strictObject({
      namespace: StateNamespace,
      key: Key,
      value: JsonValue.optional().describe('The value.'),
      expect: JsonValue.optional().describe('The value that must be there before; null = none.'),
      delete: z.boolean().optional().describe('Remove the key instead.'),
    }),
    output: KeyAndValue,
    annotations,
    targets: [],
    internal: true,
    class: 'read',
    act: async ({ namespace, key, value = null, expect, delete: deleted = false }) => {
      const stored = deleted ? { value: null, artifacts: [] } : await toStoredState(value, artifacts);
      return {
        ...ok({ key: String(key), value: stored.value }),
        ...(stored.artifacts.length > 0 ? { artifacts: stored.artifacts } : {}),
        isInline: true,
        state: {
          namespace,
          key: String(key),
          ...(expect === undefined ? {} : { expect }),
          ...(deleted ? { deleted: true } : {}),
        },
      };
    },
  });
}

/** The value that is recorded: a large one is stored as an artifact, and its place is the value. */
export async function toStoredState(
  value: Json,
  artifacts: Pick<ArtifactStore, 'put'>,
): Promise<{ value: Json; artifacts: ArtifactRef[] }> {
  if (sizeOf(value) <= MOST_INLINE_STATE) return { value, artifacts: [] };
  const stored = await artifacts.put(JSON.stringify(value), { media: 'application/json' });
  return { value: { artifact: stored.sha256, bytes: stored.bytes } satisfies LargeState, artifacts: [stored] };
}
