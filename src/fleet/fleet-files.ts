/** Owns: files of tasks, runs and results in the object store of the fleet, each by the hash of its content. */
import { hash } from 'node:crypto';
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

export async function openFiles({ js }: FleetConnection, replicas: number): Promise<FleetFiles> {
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
      const content = await store.getBlob(sha256);
      if (content === null) throw new OkaError('artifact-missing', `the fleet does not have the file ${sha256}`);
      if (hash('sha256', content) !== sha256)
        throw new OkaError('artifact-damaged', `the file ${sha256} of the fleet has another content`);
      return Buffer.from(content);
    },
  };
}
