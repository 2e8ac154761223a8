/**
 * Owns: .oka/index/vectors, the vectors of what is remembered, by the sum of the text they were made from.
 *
 * 1. Each row names its model and the hash of it; rows of another model are not seen, and go when they are replaced.
 * 2. A text gets a vector once: the table is the cache. One process writes it; a row that is written again is replaced.
 * 3. Searching goes over a copy in memory (scan.ts), in which 100,000 rows take a few milliseconds.
 * 4. A table that cannot be read is thrown away by its writer and filled again.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Table } from '@lancedb/lancedb';
import { assertModel, type Embedder, openEmbedder } from './embed.ts';
import type { Meaning } from './meaning.ts';
import { emptyScan, type Scan } from './scan.ts';

export type VectorSettings = {
  /** .oka/index. */
  folder: string;
  model: string;
  download: boolean;
  keeps: boolean;
};

const TABLE = 'vectors';
const OLD_MS = 10 * 60 * 1000;
/** Every write leaves files behind; they are put together after so many. */
const TIDY_AFTER = 100;

const vectorsFolder = (folder: string): string => join(folder, 'vectors');

/** Null when there is nothing to search and nobody to fill it. Fails when a package or the model is not there. */
export async function openVectors({ folder, model, download, keeps }: VectorSettings): Promise<Meaning | null> {
  const embedder = await openEmbedder({ model, download, cache: join(folder, 'models') });
  const table = await openTable(vectorsFolder(folder), embedder, keeps);
  if (table === null) return null;
  let scan = await filled(table, embedder).catch(async (error: unknown) => {
    if (!keeps) throw error;
    await emptied(table);
    return emptyScan(embedder.dims);
  });
  let writes = 0;
  return {
    model: embedder.model,
    search: async (query, most) => scan.closest(await embedder.embed(query), most),
    has: (key) => scan.has(key),
    size: () => scan.size,
    learn: async (texts) => {
      const rows = await rowsFor(texts, embedder);
      if (rows.length === 0) return;
      await table.mergeInsert('key').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);
      for (const { key, vector } of rows) scan.add(key, vector);
      writes += 1;
      if (writes % TIDY_AFTER === 0) await tidied(table);
    },
    forget: async () => {
      await emptied(table);
      scan = emptyScan(embedder.dims);
    },
    close: async () => {
      if (writes > 0) await tidied(table);
      table.close();
      await embedder.close();
    },
  };
}

/** Throws when a package or the model is not there or not what it should be. */
export async function assertUsable(model: string): Promise<void> {
  await import('@lancedb/lancedb');
  await assertModel(model);
}

type Row = { key: string; model: string; vector: number[] };

async function rowsFor(texts: ReadonlyMap<string, string>, { model, dims, ...embedder }: Embedder): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [key, text] of texts) {
    const vector = await embedder.embed(text);
    if (vector.length !== dims) throw new Error(`the model gave ${vector.length} numbers instead of ${dims}`);
    rows.push({ key, model, vector: Array.from(vector) });
  }
  return rows;
}

async function openTable(folder: string, { dims }: Embedder, keeps: boolean): Promise<Table | null> {
  const { connect } = await import('@lancedb/lancedb');
  const database = await connect(folder, { readConsistencyInterval: 0 });
  try {
    if ((await database.tableNames()).includes(TABLE)) return await database.openTable(TABLE);
  } catch (error) {
    if (!keeps) throw error;
    rmSync(folder, { recursive: true, force: true });
  }
  if (!keeps) return null;
  const { Field, FixedSizeList, Float32, Schema, Utf8 } = await import('apache-arrow');
  const vector = new FixedSizeList(dims, new Field('item', new Float32(), true));
  const shape = new Schema([
    new Field('key', new Utf8(), false),
    new Field('model', new Utf8(), false),
    new Field('vector', vector, false),
  ]);
  return (await connect(folder, { readConsistencyInterval: 0 })).createEmptyTable(TABLE, shape, { existOk: true });
}

/** 1, 3. Read in batches: a table may be large. */
async function filled(table: Table, { model, dims }: Embedder): Promise<Scan> {
  const scan = emptyScan(dims);
  const quoted = model.replaceAll("'", "''");
  for await (const batch of table.query().where(`model = '${quoted}'`).select(['key', 'vector']))
    for (const row of batch as Iterable<{ key: string; vector: { toArray(): Float32Array } }>)
      scan.add(row.key, row.vector.toArray());
  return scan;
}

async function tidied(table: Table): Promise<void> {
  await table.optimize({ cleanupOlderThan: new Date(Date.now() - OLD_MS) });
}

async function emptied(table: Table): Promise<void> {
  await table.delete('true');
}
