/**
 * Owns: .oka/index/vectors, the vectors of what is remembered, by the sum of the text they were made from.
 *
 * 1. Each row names its model and the hash of it; rows of another model are not seen, and go when they are replaced.
 * 2. A text gets a vector once: the table is the cache. One process writes it; a row that is written again is replaced.
 * 3. Searching goes over a copy in memory (scan.ts), in which 100,000 rows take some milliseconds.
 * 4. A table that cannot be read, or has room for vectors of another length, is thrown away by its writer and filled again.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as others } from 'node:timers/promises';
import type { Table } from '@lancedb/lancedb';
import type { RecordBatch } from 'apache-arrow';
import { embedderBeside } from './beside.ts';
import { assertModel, type Embedder, type EmbedderSettings } from './embed.ts';
import type { LearnWays, Meaning } from './port.ts';
import { emptyScan, type Scan } from './scan.ts';

export type VectorSettings = {
  /** .oka/index. */
  folder: string;
  model: string;
  download: boolean;
  keeps: boolean;
  /** Where vectors come from; a thread with the model in it when nothing is given. */
  embedder?: ((settings: EmbedderSettings) => Promise<Embedder>) | undefined;
};

const TABLE = 'vectors';
const OLD_MS = 10 * 60 * 1000;
/** Every write leaves files behind; they are put together after so many. */
const TIDY_AFTER = 100;
/** A question is known by its beginning: a vector of 2,000 characters takes five times as long and says no more. */
const LONGEST_QUESTION = 400;

const vectorsFolder = (folder: string): string => join(folder, 'vectors');
export const modelsFolder = (folder: string): string => join(folder, 'models');

/** Null when there is nothing to search and nobody to fill it. Fails when a package or the model is not there. */
export async function openVectors(settings: VectorSettings): Promise<Meaning | null> {
  const { folder, model, download, keeps, embedder: open = embedderBeside } = settings;
  const embedder = await open({ model, download, cache: modelsFolder(folder) });
  try {
    const table = await openTable(vectorsFolder(folder), embedder, keeps);
    if (table !== null) return meaningOver(table, embedder, await seen(table, embedder, keeps));
  } catch (error) {
    await embedder.close();
    throw error;
  }
  await embedder.close();
  return null;
}

function meaningOver(table: Table, embedder: Embedder, known: Scan): Meaning {
  let scan = known;
  let writes = 0;
  let last: { query: string; vector: Float32Array } | null = null;
  return {
    model: embedder.model,
    closeness: async (query, allowed) => {
      const asked = query.slice(0, LONGEST_QUESTION);
      if (last?.query !== asked) last = { query: asked, vector: await embedder.embed(asked) };
      return scan.closeness(last.vector, allowed);
    },
    rowOf: (key) => scan.rowOf(key),
    size: () => scan.size,
    learn: async (texts, ways) => {
      const rows = await rowsFor(texts, embedder, ways);
      if (rows.length === 0) return;
      await table.mergeInsert('key').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);
      for (const { key, vector } of rows) scan.add(key, vector);
      writes += 1;
      if (writes % TIDY_AFTER === 0) await tidied(table);
    },
    forgetOthers: async () => {
      const others = `model != ${quoted(embedder.model)}`;
      if ((await table.countRows(others)) > 0) await table.delete(others);
    },
    forget: async () => {
      await table.delete('true');
      scan = emptyScan(embedder.dims);
    },
    close: async () => {
      if (writes > 0) await tidied(table).catch(() => undefined); // on a full disk; it is tidied another time
      table.close();
      await embedder.close();
    },
  };
}

/** Throws when a package or the model is not there or not what it should be. */
export async function assertUsable(settings: EmbedderSettings): Promise<void> {
  await import('@lancedb/lancedb');
  await assertModel(settings);
}

type Row = { key: string; model: string; vector: number[] };

async function rowsFor(
  texts: ReadonlyMap<string, string>,
  embedder: Embedder,
  { signal, pause }: LearnWays,
): Promise<Row[]> {
  const { model, dims } = embedder;
  const rows: Row[] = [];
  for (const [key, text] of texts) {
    if (signal.aborted) break;
    const start = performance.now();
    const vector = await embedder.embed(text);
    if (vector.length !== dims) throw new Error(`the model gave ${vector.length} numbers instead of ${dims}`);
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
    if (known !== null && (await hasRoomFor(known, embedder))) return known;
    if (known !== null && keeps) await database.dropTable(TABLE); // 4
  } catch (error) {
    if (!keeps) throw error;
    rmSync(folder, { recursive: true, force: true });
  }
  return keeps ? created(folder, embedder) : null;
}

async function hasRoomFor(table: Table, { dims }: Embedder): Promise<boolean> {
  const { fields } = await table.schema();
  const type = fields.find(({ name }) => name === 'vector')?.type as { listSize?: number } | undefined;
  return type?.listSize === dims;
}

async function created(folder: string, { dims }: Embedder): Promise<Table> {
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

/** 1, 3, 4. */
async function seen(table: Table, embedder: Embedder, keeps: boolean): Promise<Scan> {
  try {
    return await filled(table, embedder);
  } catch (error) {
    if (!keeps) throw error;
    await table.delete('true');
    return emptyScan(embedder.dims);
  }
}

/** Read in batches, and with pauses for whoever asks meanwhile: a table may be large. */
async function filled(table: Table, { model, dims }: Embedder): Promise<Scan> {
  const scan = emptyScan(dims);
  const rows = table
    .query()
    .where(`model = ${quoted(model)}`)
    .select(['key', 'vector']);
  for await (const batch of rows) {
    addBatch(scan, batch, dims);
    await others();
  }
  return scan;
}

/** The numbers of a batch lie side by side; one that was cut out of another is read row by row. */
function addBatch(scan: Scan, batch: RecordBatch, dims: number): void {
  const [keys, vectors] = [batch.getChild('key'), batch.getChild('vector')];
  if (keys === null || vectors === null) throw new Error('a batch lacks its columns');
  const list = vectors.data[0];
  const numbers = list?.children[0]?.values as Float32Array | undefined;
  const isWhole = list?.offset === 0 && numbers?.length === batch.numRows * dims;
  for (let row = 0; row < batch.numRows; row += 1) {
    const own = isWhole ? numbers.subarray(row * dims, (row + 1) * dims) : (vectors.get(row) as Listed).toArray();
    scan.add(String(keys.get(row)), own);
  }
}

type Listed = { toArray(): Float32Array };

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

async function tidied(table: Table): Promise<void> {
  await table.optimize({ cleanupOlderThan: new Date(Date.now() - OLD_MS) });
}
