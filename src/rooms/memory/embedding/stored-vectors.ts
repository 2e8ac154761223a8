/**
 * Owns: the vectors of a home: those of its table (vector-table.ts), and those that a model makes for new texts.
 *
 * 1. Searches scan a copy in memory (vector-scan.ts), where 100,000 rows take a few milliseconds.
 * 2. A table that cannot be read is emptied by its writer and filled again.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OkaError } from '../../../core/schema/errors.ts';
import { canResolve, requireFromAddOn } from '../../../kit/add-ons.ts';
import { openBackgroundEmbedder } from './background-embedder.ts';
import { assertModelUsable, type Embedder, type EmbedderSettings } from './embedding-model.ts';
import type { EmbedOptions, VectorIndex } from './vector-index.ts';
import { createVectorScan, type VectorScan } from './vector-scan.ts';
import { type TableSettings, vectorOf, type VectorRows } from './vector-table.ts';
import { vectorTableClient, type VectorTableClient } from './vector-table-client.ts';

export type VectorSettings = {
  /** .oka/index. */
  folder: string;
  model: string;
  download: boolean;
  canWrite: boolean;
  /** Where vectors come from; a worker thread with the model by default. */
  embedder?: ((settings: EmbedderSettings) => Promise<Embedder>) | undefined;
  /** Where they are stored; a process with the table by default. */
  table?: ((settings: TableSettings) => VectorTableClient) | undefined;
};

/** Every write leaves files behind; they are compacted after this many. */
const COMPACT_AFTER = 100;
/** Embedding 2,000 characters of a query takes five times as long and finds no more. */
const MAX_QUERY_LENGTH = 400;

export const vectorsFolder = (folder: string): string => join(folder, 'vectors');
export const modelsFolder = (folder: string): string => join(folder, 'models');

/** Returns null when there is no table and this process may not create one. Throws when a package or the model is missing. */
export async function openVectors(settings: VectorSettings): Promise<VectorIndex | null> {
  const { folder, model, download, canWrite } = settings;
  const { embedder: open = openBackgroundEmbedder, table: tableOf = vectorTableClient } = settings;
  const embedder = await open({ model, download, cache: modelsFolder(folder) });
  const table = tableOf({ folder: vectorsFolder(folder), dims: embedder.dims, canWrite });
  try {
    if (await table.ask({ kind: 'open' }))
      return vectorIndexOver(table, embedder, await loadScanOrReset(table, embedder, canWrite));
  } catch (error) {
    await Promise.all([table.close(), embedder.close()]);
    throw error;
  }
  await Promise.all([table.close(), embedder.close()]);
  return null;
}

function vectorIndexOver(table: VectorTableClient, embedder: Embedder, known: VectorScan): VectorIndex {
  const { model, dims } = embedder;
  let scan = known;
  let writes = 0;
  let last: { query: string; vector: Float32Array } | null = null;
  return {
    model,
    embedQuery: async (query) => {
      const asked = query.slice(0, MAX_QUERY_LENGTH);
      if (last?.query === asked) return last.vector;
      const vector = await embedder.embed(asked);
      last = { query: asked, vector };
      return vector;
    },
    similarities: (vector) => scan.similarities(vector),
    rowOf: (key) => scan.rowOf(key),
    size: () => scan.size,
    addTexts: async (texts, ways) => {
      const rows = await embedRows(texts, embedder, ways);
      if (rows.keys.length === 0) return;
      await table.ask({ kind: 'merge', model, rows });
      addRows(scan, rows, dims);
      writes += 1;
      if (writes % COMPACT_AFTER === 0) await table.ask({ kind: 'compact' });
    },
    deleteOtherModels: async () => void (await table.ask({ kind: 'delete other models', model })),
    deleteAll: async () => {
      await table.ask({ kind: 'delete all' });
      scan = createVectorScan(dims);
    },
    close: async () => {
      if (writes > 0) await table.ask({ kind: 'compact' }).catch(() => undefined); // the disk may be full; it is compacted another time
      await Promise.all([table.close(), embedder.close()]);
    },
  };
}

/** Throws when a package or the model is missing or altered. Loads neither: that would take a second and 200 MB. */
export async function assertVectorsUsable(settings: EmbedderSettings): Promise<void> {
  const database = createRequire(requireFromAddOn('vectors', '@lancedb/lancedb').resolve('@lancedb/lancedb'));
  const native = `@lancedb/lancedb-${process.platform}-${process.arch}`;
  if (!['', '-gnu', '-musl', '-msvc'].some((suffix) => canResolve(database, `${native}${suffix}`)))
    throw new OkaError('not-set-up', `LanceDB has no binary for ${process.platform} on ${process.arch} here`);
  await assertModelUsable(settings);
}

async function embedRows(
  texts: ReadonlyMap<string, string>,
  embedder: Embedder,
  { signal, pause }: EmbedOptions,
): Promise<VectorRows> {
  const { dims } = embedder;
  const keys: string[] = [];
  const vectors = new Float32Array(texts.size * dims);
  for (const [key, text] of texts) {
    if (signal.aborted) break;
    const start = performance.now();
    const vector = await embedder.embed(text);
    if (vector.length !== dims) throw new Error(`expected ${dims} numbers from the model, got ${vector.length}`);
    vectors.set(vector, keys.length * dims);
    keys.push(key);
    await pause?.(performance.now() - start);
  }
  return { keys, vectors: vectors.subarray(0, keys.length * dims) };
}

/** Loads the vectors of this model (1); the writer empties a table that cannot be read (2). */
async function loadScanOrReset(table: VectorTableClient, embedder: Embedder, keeps: boolean): Promise<VectorScan> {
  const { model, dims } = embedder;
  try {
    const scan = createVectorScan(dims);
    await table.ask({ kind: 'read', model }, (rows) => addRows(scan, rows, dims));
    return scan;
  } catch (error) {
    if (!keeps) throw error;
    await table.ask({ kind: 'delete all' });
    return createVectorScan(dims);
  }
}

function addRows(scan: VectorScan, { keys, vectors }: VectorRows, dims: number): void {
  for (const [row, key] of keys.entries()) scan.add(key, vectorOf(vectors, row, dims));
}
