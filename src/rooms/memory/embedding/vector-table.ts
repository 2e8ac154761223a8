/**
 * Owns: .oka/index/vectors, a LanceDB table of vectors by the checksum of the text they were made from.
 *
 * 1. Each row names its model and the model's hash. Rows of another model are ignored, and deleted once replaced.
 * 2. A text is embedded once: the table is the cache. One process writes it, and writing a row again replaces it.
 * 3. A table that cannot be opened, or has other dimensions, is dropped by its writer and filled again.
 *
 * LanceDB takes 75 MB for as long as its process lives, so it gets one of its own for a while (vector-table-child.ts).
 */
import { rmSync } from 'node:fs';
import type { Table } from '@lancedb/lancedb';
import type { RecordBatch } from 'apache-arrow';
import { importFromAddOn } from '../../../kit/add-ons.ts';

export type TableSettings = { folder: string; dims: number; canWrite: boolean };

/** Rows of one model; their vectors are one after the other. */
export type VectorRows = { keys: string[]; vectors: Float32Array };

export type VectorTable = {
  read(model: string, take: (rows: VectorRows) => Promise<void>): Promise<void>;
  merge(model: string, rows: VectorRows): Promise<void>;
  deleteOtherModels(model: string): Promise<void>;
  deleteAll(): Promise<void>;
  /** Every write leaves files behind, which this removes. */
  compact(): Promise<void>;
};

const TABLE = 'vectors';
const OLD_VERSION_MS = 10 * 60 * 1000;
const MOST_ROWS = 1024;

/** Null when there is no table and this process may not create one. */
export async function openVectorTable(settings: TableSettings): Promise<VectorTable | null> {
  const table = await openTable(settings);
  if (table === null) return null;
  const { dims } = settings;
  return {
    read: async (model, take) => {
      const rows = table
        .query()
        .where(`model = ${quoteSql(model)}`)
        .select(['key', 'vector']);
      for await (const batch of rows) for (const part of partsOf(batch, dims)) await take(part);
    },
    merge: async (model, { keys, vectors }) => {
      const rows = keys.map((key, row) => ({ key, model, vector: Array.from(vectorOf(vectors, row, dims)) }));
      await table.mergeInsert('key').whenMatchedUpdateAll().whenNotMatchedInsertAll().execute(rows);
    },
    deleteOtherModels: async (model) => {
      const others = `model != ${quoteSql(model)}`;
      if ((await table.countRows(others)) > 0) await table.delete(others);
    },
    deleteAll: async () => void (await table.delete('true')),
    compact: async () => void (await table.optimize({ cleanupOlderThan: new Date(Date.now() - OLD_VERSION_MS) })),
  };
}

export const vectorOf = (vectors: Float32Array, row: number, dims: number): Float32Array =>
  vectors.subarray(row * dims, (row + 1) * dims);

const loadLance = async (): Promise<typeof import('@lancedb/lancedb')> =>
  await importFromAddOn('vectors', '@lancedb/lancedb', () => import('@lancedb/lancedb'));

async function openTable({ folder, dims, canWrite }: TableSettings): Promise<Table | null> {
  const { connect } = await loadLance();
  const database = await connect(folder, { readConsistencyInterval: 0 });
  try {
    const known = (await database.tableNames()).includes(TABLE) ? await database.openTable(TABLE) : null;
    if (known !== null && (await hasDimensions(known, dims))) return known;
    if (known !== null && canWrite) await database.dropTable(TABLE); // vectors of another model (3)
  } catch (error) {
    if (!canWrite) throw error;
    rmSync(folder, { recursive: true, force: true });
  }
  return canWrite ? createTable(folder, dims) : null;
}

async function hasDimensions(table: Table, dims: number): Promise<boolean> {
  const { fields } = await table.schema();
  const type = fields.find(({ name }) => name === 'vector')?.type as { listSize?: number } | undefined;
  return type?.listSize === dims;
}

async function createTable(folder: string, dims: number): Promise<Table> {
  const { connect } = await loadLance();
  const { Field, FixedSizeList, Float32, Schema, Utf8 } = await importFromAddOn(
    'vectors',
    'apache-arrow',
    () => import('apache-arrow'),
  );
  const vector = new FixedSizeList(dims, new Field('item', new Float32(), true));
  const shape = new Schema([
    new Field('key', new Utf8(), false),
    new Field('model', new Utf8(), false),
    new Field('vector', vector, false),
  ]);
  return (await connect(folder, { readConsistencyInterval: 0 })).createEmptyTable(TABLE, shape, { existOk: true });
}

/** The numbers of a batch are contiguous; a batch that is a slice of another is read row by row. */
function* partsOf(batch: RecordBatch, dims: number): Generator<VectorRows> {
  const [keys, vectors] = [batch.getChild('key'), batch.getChild('vector')];
  if (keys === null || vectors === null) throw new Error('a batch lacks its columns');
  const list = vectors.data[0];
  const numbers = list?.children[0]?.values as Float32Array | undefined;
  const isWhole = list?.offset === 0 && numbers?.length === batch.numRows * dims;
  for (let from = 0; from < batch.numRows; from += MOST_ROWS) {
    const rows = Array.from({ length: Math.min(MOST_ROWS, batch.numRows - from) }, (_, index) => from + index);
    const part = new Float32Array(rows.length * dims);
    if (isWhole) part.set(numbers.subarray(from * dims, from * dims + part.length));
    else for (const [index, row] of rows.entries()) part.set((vectors.get(row) as ListVector).toArray(), index * dims);
    yield { keys: rows.map((row) => String(keys.get(row))), vectors: part };
  }
}

type ListVector = { toArray(): Float32Array };

const quoteSql = (text: string): string => `'${text.replaceAll("'", "''")}'`;
