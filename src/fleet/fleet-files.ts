/** Owns: files of tasks, runs and results in the object store of the fleet, each by the hash of its content. */
import { hash } from 'node:crypto';
import { type ObjectStore, Objm } from '@nats-io/obj';
import { type JetStreamManager, StorageType } from '@nats-io/jetstream';
import { OkaError } from '../schema/errors.ts';
import type { FleetConnection } from './connect-fleet.ts';
import { FILES } from './fleet-subjects.ts';

export type FleetFiles = {
  /** Resolves with the hash when the content is stored. */
  put(content: Uint8Array): Promise<string>;
  get(sha256: string): Promise<Buffer>;
};

const MOST_KNOWN = 10_000;
/** How the client stores the parts of a file. */
const FILES_STREAM = `OBJ_${FILES}`;
const partsOf = (id: string): string => `$O.${FILES}.C.${id}`;

export async function openFiles(
  { js, manager }: Pick<FleetConnection, 'js' | 'manager'>,
  replicas: number,
): Promise<FleetFiles> {
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
      const content = await readFile(store, manager, sha256);
      if (content === null) throw new OkaError('artifact-missing', `the fleet does not have the file ${sha256}`);
      if (hash('sha256', content) !== sha256)
        throw new OkaError('artifact-damaged', `the file ${sha256} of the fleet has another content`);
      return content;
    },
  };
}

/**
 * Null when there is no such file. Each part is a request of its own: the client would create a consumer for every file,
 * which stays for minutes, and servers have a limit of them; and it would wait without end for a server that is gone.
 */
async function readFile(store: ObjectStore, { streams }: JetStreamManager, name: string): Promise<Buffer | null> {
  const found = await store.info(name);
  if (found === null || found.deleted) return null;
  const parts: Uint8Array[] = [];
  for (let next = 1; parts.length < found.chunks; ) {
    const query = { seq: next, next_by_subj: partsOf(found.nuid) };
    const part = await streams.getMessage(FILES_STREAM, query);
    if (part === null) throw new OkaError('artifact-damaged', `a part of the file ${name} of the fleet is missing`);
    parts.push(part.data);
    next = part.seq + 1;
  }
  return Buffer.concat(parts);
}
