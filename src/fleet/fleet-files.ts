/** Owns: files of tasks, runs and results in the object store of the fleet, each by the hash of its content. */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ObjectStore, Objm } from '@nats-io/obj';
import { StorageType } from '@nats-io/jetstream';
import { OkaError } from '../schema/errors.ts';
import type { FleetConnection } from './connect-fleet.ts';
import { FILES } from './fleet-subjects.ts';

export type FleetFiles = {
  /** Resolves with the hash when the content is stored. */
  put(content: Uint8Array): Promise<string>;
  get(sha256: string): Promise<Buffer>;
};

const MOST_KNOWN = 10_000;
/** Between two parts of a file that is read. */
const MOST_SILENCE_MS = 30_000;

export async function openFiles({ js }: Pick<FleetConnection, 'js'>, replicas: number): Promise<FleetFiles> {
  const store: ObjectStore = await new Objm(js).create(FILES, { replicas, storage: StorageType.File });
  const known = new Set<string>();
  return {
    put: async (content) => {
      const name = hash('sha256', content);
      if (known.has(name)) return name;
      const found = await store.info(name);
      if (found === null || found.deleted) await store.putBlob({ name }, content);
      if (known.size >= MOST_KNOWN) known.clear();
      known.add(name);
      return name;
    },
    get: async (sha256) => {
      const content = await readFile(store, sha256);
      if (content === null) throw new OkaError('artifact-missing', `the fleet does not have the file ${sha256}`);
      if (hash('sha256', content) !== sha256)
        throw new OkaError('artifact-damaged', `the file ${sha256} of the fleet has another content`);
      return content;
    },
  };
}

/**
 * Null when there is no such file. The client itself would wait without end for the parts of a file when the server that
 * had begun to send it is gone, and everything behind that file would wait with it.
 */
async function readFile(store: ObjectStore, name: string): Promise<Buffer | null> {
  const found = await store.get(name);
  if (found === null) return null;
  found.error.catch(() => undefined); // the stream fails with it, too
  const reader = found.data.getReader();
  const parts: Uint8Array[] = [];
  try {
    for (;;) {
      const { done, value } = await readInTime(reader);
      if (done) return Buffer.concat(parts);
      if (value !== undefined) parts.push(value);
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error;
  }
}

type Part = { done: boolean; value?: Uint8Array | undefined };

async function readInTime(reader: { read: () => Promise<Part> }): Promise<Part> {
  const ending = new AbortController();
  const silence = sleep(MOST_SILENCE_MS, null, { signal: ending.signal }).catch(() => null);
  try {
    const part = await Promise.race([reader.read(), silence]);
    if (part === null) throw new OkaError('fleet-down', `no part of a file came for ${MOST_SILENCE_MS / 1000} seconds`);
    return part;
  } finally {
    ending.abort();
  }
}
