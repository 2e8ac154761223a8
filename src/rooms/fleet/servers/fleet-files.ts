/** Owns: files of tasks, runs and results in the object store of the fleet, each by the hash of its content. */
import { hash, randomUUID } from 'node:crypto';
import { type JetStreamClient, type JetStreamManager, StorageType } from '@nats-io/jetstream';
import { headers } from '@nats-io/nats-core';
import { type ObjectInfo, type ObjectStore, Objm } from '@nats-io/obj';
import { OkaError } from '../../../core/schema/errors.ts';
import type { FleetConnection } from './connect-fleet.ts';
import { FILES, FILES_STREAM } from './fleet-subjects.ts';

export type FleetFiles = {
  /** Resolves with the hash when the content is stored. */
  put(content: Uint8Array): Promise<string>;
  get(sha256: string): Promise<Buffer>;
};

const MOST_KNOWN = 10_000;
const PART_BYTES = 128 * 1024;
/** Where an object store has the parts of a file, and what is known about it. */
const partsOf = (id: string): string => `$O.${FILES}.C.${id}`;
const aboutOf = (name: string): string => `$O.${FILES}.M.${toBase64(Buffer.from(name))}`;
/** With the padding that object stores expect. */
const toBase64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');

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
      if (found === null || !(await isWhole(manager, found))) await writeFile(js, name, content);
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
 * The client would remove the parts again when the last answer does not come in time. But the servers may have stored
 * everything: everybody would find a file without content then. Parts that nobody refers to do no harm.
 */
async function writeFile(js: JetStreamClient, name: string, content: Uint8Array): Promise<void> {
  const nuid = randomUUID();
  const chunks = Math.ceil(content.length / PART_BYTES);
  for (let part = 0; part < chunks; part += 1)
    await js.publish(partsOf(nuid), content.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
  const about = {
    bucket: FILES,
    name,
    nuid,
    size: content.length,
    chunks,
    digest: `SHA-256=${toBase64(hash('sha256', content, 'buffer'))}`,
    mtime: new Date().toISOString(),
    deleted: false,
    options: { max_chunk_size: PART_BYTES },
  };
  const replaces = headers();
  replaces.set('Nats-Rollup', 'sub');
  await js.publish(aboutOf(name), JSON.stringify(about), { headers: replaces });
}

async function isWhole({ streams }: JetStreamManager, { nuid, chunks, deleted }: ObjectInfo): Promise<boolean> {
  const { state } = await streams.info(FILES_STREAM, { subjects_filter: partsOf(nuid) });
  return !deleted && (state.subjects?.[partsOf(nuid)] ?? 0) === chunks;
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
