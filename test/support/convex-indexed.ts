/**
 * A database with real indexes below Convex functions, at the seam where Convex itself has it: the system calls. The
 * functions and everything of the convex package above them are the real ones.
 *
 * Does not own: checking of arguments, answers and documents against validators. convex-test does that.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type GenericSchema, mutationGeneric, type SchemaDefinition } from 'convex/server';
import { convexToJson, getDocumentSize, type JSONValue, jsonToConvex, type Value } from 'convex/values';
import type { Writing } from '../../convex/typed.ts';
import type { Engine } from './convex-engine.ts';
import { type Document, type Range, sortedIndex, type SortedIndex } from './convex-index.ts';

type Functions = Readonly<Record<string, () => Promise<object>>>;
type Invoke = (args: string) => Promise<string>;
type Registered = { invokeQuery?: Invoke; invokeMutation?: Invoke };
type Syscalls = {
  syscall: (op: string, args: string) => string;
  asyncSyscall: (op: string, args: string) => Promise<string>;
};

const MiB = 1024 * 1024;
const MOST_DOCUMENT_BYTES = MiB;
/** What one call may do. */
const MOST = { ranges: 4096, rowsRead: 32_000, rowsWritten: 16_000, bytesRead: 16 * MiB, bytesWritten: 16 * MiB };
type Doing = keyof typeof MOST;

export function indexedEngine(schema: SchemaDefinition<GenericSchema, boolean>, functions: Functions): Engine {
  const store = openStore(schema);
  let turn: Promise<unknown> = Promise.resolve();

  /** One at a time, whole or not at all. */
  function transaction(invoke: () => Promise<string>): Promise<Value> {
    const result = turn.then(async () => {
      takeGlobal();
      try {
        return await current.run(store.syscalls, invoke);
      } catch (error) {
        store.rollback();
        throw withData(error);
      } finally {
        store.commit();
      }
    });
    turn = result.catch(() => undefined);
    return result.then((text) => jsonToConvex(JSON.parse(text) as JSONValue));
  }

  return {
    call: async (kind, path, args) => {
      const [module = '', name = ''] = path.split(':');
      const found = (await functions[module]?.()) as Record<string, Registered | undefined> | undefined;
      const invoke = kind === 'query' ? found?.[name]?.invokeQuery : found?.[name]?.invokeMutation;
      if (invoke === undefined) throw new Error(`Could not find public function for '${path}'.`);
      return transaction(() => invoke(JSON.stringify(convexToJson([args]))));
    },
    run: async (handler) => {
      const registered = mutationGeneric({ handler: (ctx) => handler(ctx as unknown as Writing) });
      const { invokeMutation } = registered as unknown as Required<Registered>;
      return (await transaction(() => invokeMutation('[{}]'))) as never;
    },
  };
}

/** What Convex functions find as the global `Convex`. Calls from elsewhere go on to whoever set it before or since. */
const current = new AsyncLocalStorage<Syscalls>();
const place = globalThis as { Convex?: Syscalls };
let others: Syscalls | undefined;

const serving = (): Syscalls => {
  const found = current.getStore() ?? others;
  if (found === undefined) throw new Error('a Convex function was called outside of an engine');
  return found;
};
const ours = Object.defineProperties({} as Syscalls, {
  syscall: { get: () => serving().syscall },
  asyncSyscall: { get: () => serving().asyncSyscall },
  jsSyscall: { get: () => (serving() as { jsSyscall?: unknown }).jsSyscall },
});

function takeGlobal(): void {
  if (place.Convex === ours) return;
  others = place.Convex;
  place.Convex = ours;
}

type Store = { syscalls: Syscalls; commit(): void; rollback(): void };
type Query = {
  source: { type: string; indexName?: string; tableName?: string; range?: Range[]; order: 'asc' | 'desc' | null };
  operators: { limit?: number }[];
};

function openStore(schema: SchemaDefinition<GenericSchema, boolean>): Store {
  const tables = new Map(Object.keys(schema.tables).map((name) => [name, indexesOf(schema, name)]));
  const documents = new Map<string, Document>();
  const streams = new Map<number, { rows: readonly Document[]; at: number }>();
  let journal: [id: string, before: Document | undefined][] = [];
  let [nextId, nextStream] = [1, 1];
  const done: Record<Doing, number> = { ranges: 0, rowsRead: 0, rowsWritten: 0, bytesRead: 0, bytesWritten: 0 };

  function count(what: Doing, amount = 1): void {
    done[what] += amount;
    if (done[what] > MOST[what]) throw new Error(`too much for one call: ${what} ${done[what]} of ${MOST[what]}`);
  }

  function put(id: string, after: Document | undefined): Document | undefined {
    const before = documents.get(id);
    const indexes = tables.get(id.slice(id.indexOf(';') + 1));
    if (indexes === undefined) throw new Error(`there is no table for ${id}`);
    for (const index of indexes.values()) {
      if (before !== undefined) index.remove(before);
      if (after !== undefined) index.add(after);
    }
    if (after === undefined) documents.delete(id);
    else documents.set(id, after);
    return before;
  }

  function write(id: string, fields: Record<string, Value> | null): void {
    const created = documents.get(id)?._creationTime ?? nextId;
    const after = fields === null ? undefined : ({ ...fields, _id: id, _creationTime: created } as Document);
    const bytes = after === undefined ? 0 : getDocumentSize(after);
    if (bytes > MOST_DOCUMENT_BYTES) throw new Error('Value is too large (over 1 MiB)');
    count('rowsWritten');
    count('bytesWritten', bytes);
    journal.push([id, put(id, after)]);
  }

  function rowsOf({ source, operators }: Query): readonly Document[] {
    const [table = '', index = 'by_creation_time'] = (source.indexName ?? source.tableName ?? '').split('.');
    const found = tables.get(table)?.get(index);
    if (found === undefined) throw new Error(`there is no index ${table}.${index}`);
    count('ranges');
    const limit = operators.find((each) => each.limit !== undefined)?.limit;
    if (operators.length > (limit === undefined ? 0 : 1))
      throw new Error('filters are not supported here: use an index');
    return found.rows(source.range ?? [], source.order ?? 'asc', limit);
  }

  const syscalls: Syscalls = {
    syscall: (op, text) => {
      const args = JSON.parse(text) as { query: Query; queryId: number };
      if (op === '1.0/queryCleanup') streams.delete(args.queryId);
      else if (op === '1.0/queryStream') streams.set(nextStream, { rows: rowsOf(args.query), at: 0 });
      else throw new Error(`system call ${op} is not supported here`);
      return JSON.stringify(op === '1.0/queryStream' ? { queryId: nextStream++ } : {});
    },
    asyncSyscall: async (op, text) => {
      const args = JSON.parse(text) as { table: string; id: string; value: JSONValue; queryId: number };
      const fields = (): Record<string, Value> => {
        const { _id, _creationTime, ...rest } = jsonToConvex(args.value) as Record<string, Value>;
        return rest;
      };
      if (op === '1.0/queryStreamNext') {
        const stream = streams.get(args.queryId);
        const row = stream?.rows[stream.at++];
        if (row !== undefined) count('rowsRead');
        if (row !== undefined) count('bytesRead', getDocumentSize(row));
        return JSON.stringify(
          row === undefined ? { value: null, done: true } : { value: convexToJson(row), done: false },
        );
      }
      if (op === '1.0/get') return JSON.stringify(convexToJson(documents.get(args.id) ?? null));
      if (op === '1.0/insert') {
        const _id = `${nextId};${args.table}`;
        write(_id, fields());
        nextId += 1;
        return JSON.stringify({ _id });
      }
      if (op !== '1.0/remove' && op !== '1.0/replace' && op !== '1.0/shallowMerge')
        throw new Error(`system call ${op} is not supported here`);
      if (!documents.has(args.id)) throw new Error(`there is no document ${args.id}`);
      if (op === '1.0/remove') write(args.id, null);
      else if (op === '1.0/replace') write(args.id, fields());
      else write(args.id, { ...documents.get(args.id), ...fields() });
      return '{}';
    },
  };
  return {
    syscalls,
    commit: () => {
      journal = [];
      streams.clear();
      for (const what of Object.keys(done) as Doing[]) done[what] = 0;
    },
    rollback: () => {
      for (const [id, before] of journal.toReversed()) put(id, before);
    },
  };
}

function indexesOf(schema: SchemaDefinition<GenericSchema, boolean>, table: string): Map<string, SortedIndex> {
  const declared = schema.tables[table]?.[' indexes']() ?? [];
  return new Map<string, SortedIndex>([
    ['by_creation_time', sortedIndex([])],
    ...declared.map(({ indexDescriptor, fields }) => [indexDescriptor, sortedIndex(fields)] as const),
  ]);
}

/** What a ConvexError carries travels as text below the functions. */
function withData(error: unknown): unknown {
  if (error instanceof Error && 'data' in error && typeof error.data === 'string')
    error.data = jsonToConvex(JSON.parse(error.data) as JSONValue);
  return error;
}
