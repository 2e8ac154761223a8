/**
 * Owns: .oka/index/vectors, a LanceDB table of vectors by the checksum of the text they were made from.
 *
 * 1. Each row names its model and the model's hash. Rows of another model are ignored, and deleted once replaced.
 * 2. A text is embedded once: the table is the cache. One process writes it, and writing a row again replaces it.
 * 3. Searches scan a copy in memory (vector-scan.ts), where 100,000 rows take a few milliseconds.
 * 4. A table that cannot be read, or has other dimensions, is dropped by its writer and filled again.
 */
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setImmediate as others } from 'node:timers/promises';
import type { Table } from '@lancedb/lancedb';
import type { RecordBatch } from 'apache-arrow';
import { OkaError } from '../../schema/errors.ts';
import { openBackgroundEmbedder } from './background-embedder.ts';
import { assertModelUsable, type Embedder, type EmbedderSettings } from './embedding-model.ts';
import type { EmbedOptions, VectorIndex } from './vector-index.ts';
import { createVectorScan, type VectorScan } from './vector-scan.ts';

export type VectorSettings = {
  /** .oka/index. */
  folder: string;
  model: string;
  download: boolean;
  canWrite: boolean;
  /** Where vectors come from; a worker thread with the model by default. */
  embedder?: ((settings: EmbedderSettings) => Promise<Embedder>) | undefined;
};

const TABLE = 'vectors';
const OLD_VERSION_MS = 10 * 60 * 1000;
/** Every write leaves files behind; they are compacted after this many. */
const COMPACT_AFTER = 100;
/** Embedding 2,000 characters of a query takes five times as long and finds no more. */
const MAX_QUERY_LENGTH = 400;

const vectorsFolder = (folder: string): string => join(folder, 'vectors');
export const modelsFolder = (folder: string): string => join(folder, 'models');

/** Returns null when there is no table and this process may not create one. Throws when a package or the model is missing. */
export async function openVectors(settings: VectorSettings): Promise<VectorIndex | null> {
  const { folder, model, download, canWrite, embedder: open = openBackgroundEmbedder } = settings;
  const embedder = await open({ model, download, cache: modelsFolder(folder) });
  try {
    const table = await openTable(vectorsFolder(folder), embedder, canWrite);
    if (table !== null) return vectorIndexOver(table, embedder, await loadScanOrReset(table, embedder, canWrite));
  } catch (error) {
    await embedder.close();
    throw error;
  }
  await embedder.close();
  return null;
}

function vectorIndexOver(table: Table, embedder: Embedder, known: VectorScan): VectorIndex {
  let scan = known;
  let writes = 0;
  let last: { query: string; vector: Float32Array } | null = null;
  return {
    model: embedder.model,
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
      if (rows.length === 0) return;
      await table.mergeInsert('key').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);
      for (const { key, vector } of rows) scan.add(key, vector);
      writes += 1;
      if (writes % COMPACT_AFTER === 0) await compactTable(table);
    },
    deleteOtherModels: async () => {
      const others = `model != ${quoteSql(embedder.model)}`;
      if ((await table.countRows(others)) > 0) await table.delete(others);
    },
    deleteAll: async () => {
      await table.delete('true');
      scan = createVectorScan(embedder.dims);
    },
    close: async () => {
      if (writes > 0) await compactTable(table).catch(() => undefined); // the disk may be full; the table is compacted another time
      table.close();
      await embedder.close();
    },
  };
}

/** Throws when a package or the model is missing or altered. Loads neither: that would take a second and 200 MB. */
export async function assertVectorsUsable(settings: EmbedderSettings): Promise<void> {
  const database = createRequire(createRequire(import.meta.url).resolve('@lancedb/lancedb'));
  const native = `@lancedb/lancedb-${process.platform}-${process.arch}`;
  if (!['', '-gnu', '-musl', '-msvc'].some((suffix) => canResolve(database, `${native}${suffix}`)))
    throw new OkaError('not-set-up', `LanceDB has no binary for ${process.platform} on ${process.arch} here`);
  await assertModelUsable(settings);
}

function canResolve(from: NodeJS.Require, name: string): boolean {
  try {
    return from.resolve(name) !== '';
  } catch {
    return false;
  }
}

type Row = { key: string; model: string; vector: number[] };

async function embedRows(
  texts: ReadonlyMap<string, string>,
  embedder: Embedder,
  { signal, pause }: EmbedOptions,
): Promise<Row[]> {
  const { model, dims } = embedder;
  const rows: Row[] = [];
  for (const [key, text] of texts) {
    if (signal.aborted) break;
    const start = performance.now();
    const vector = await embedder.embed(text);
    if (vector.length !== dims) throw new Error(`expected ${dims} numbers from the model, got ${vector.length}`);
    rows.push({ key, model, vector: Array.from(vector) });
    await pause?.(performance.now() - start);
  }
  return rows;
}

async function openTable(folder: string, embedder: Embedder, keeps: boolean): Promise<Table | null> {
  const { connect } = await import('@lancedb/lancedb');
  const database = await connect(folder, { readConsistencyInterval: 0 });
  try {
    const known = (await database.tableNames()).includes(TABLE) ? await database.openTable(TABLE) : null;
    if (known !== null && (await hasDimensions(known, embedder))) return known;
    if (known !== null && keeps) await database.dropTable(TABLE); // vectors of another model (4)
  } catch (error) {
    if (!keeps) throw error;
    rmSync(folder, { recursive: true, force: true });
  }
  return keeps ? createTable(folder, embedder) : null;
}

async function hasDimensions(table: Table, { dims }: Embedder): Promise<boolean> {
  const { fields } = await table.schema();
  const type = fields.find(({ name }) => name === 'vector')?.type as { listSize?: number } | undefined;
  return type?.listSize === dims;
}

async function createTable(folder: string, { dims }: Embedder): Promise<Table> {
  const { connect } = await import('@lancedb/lancedb');
  const { Field, FixedSizeList, Float32, Schema, Utf8 } = await import('apache-arrow');
  const vector = new FixedSizeList(dims, new Field('item', new Float32(), true));
  const shape = new Schema([
    new Field('key', new Utf8(), false),
    new Field('model', new Utf8(), false),
    new Field('vector', vector, false),
  ]);
  return (await connect(folder, { readConsistencyInterval: 0 })).createEmptyTable(TABLE, shape, { existOk: true });
}

/** Loads the vectors of this model (1, 3); the writer empties a table that cannot be read (4). */
async function loadScanOrReset(table: Table, embedder: Embedder, keeps: boolean): Promise<VectorScan> {
  try {
    return await loadScan(table, embedder);
  } catch (error) {
    if (!keeps) throw error;
    await table.delete('true');
    return createVectorScan(embedder.dims);
  }
}

/** Reads in batches and yields between them, so that a large table does not block other requests. */
async function loadScan(table: Table, { model, dims }: Embedder): Promise<VectorScan> {
  const scan = createVectorScan(dims);
  const rows = table
    .query()
    .where(`model = ${quoteSql(model)}`)
    .select(['key', 'vector']);
  for await (const batch of rows) {
    addBatch(scan, batch, dims);
    await others();
  }
  return scan;
}

/** The numbers of a batch are contiguous; a batch that is a slice of another is read row by row. */
function addBatch(scan: VectorScan, batch: RecordBatch, dims: number): void {
  const [keys, vectors] = [batch.getChild('key'), batch.getChild('vector')];
  if (keys === null || vectors === null) throw new Error('a batch lacks its columns');
  const list = vectors.data[0];
  const numbers = list?.children[0]?.values as Float32Array | undefined;
  const isWhole = list?.offset === 0 && numbers?.length === batch.numRows * dims;
  for (let row = 0; row < batch.numRows; row += 1) {
    const own = isWhole ? numbers.subarray(row * dims, (row + 1) * dims) : (vectors.get(row) as ListVector).toArray();
    scan.add(String(keys.get(row)), own);
  }
}

type ListVector = { toArray(): Float32Array };

const quoteSql = (text: string): string => `'${text.replaceAll("'", "''")}'`;

async function compactTable(table: Table): Promise<void> {
  await table.optimize({ cleanupOlderThan: new Date(Date.now() - OLD_VERSION_MS) });
}
