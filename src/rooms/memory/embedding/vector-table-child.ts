/** The process that reads and writes the table of vectors, one request after the other. It ends with whoever started it. */
import { messageOf } from '../../../core/schema/errors.ts';
import { openVectorTable, type TableSettings, type VectorRows, type VectorTable } from './vector-table.ts';

export type TableRequest = { number: number } & (
  | { kind: 'open' }
  | { kind: 'read'; model: string }
  | { kind: 'merge'; model: string; rows: VectorRows }
  | { kind: 'delete other models'; model: string }
  | { kind: 'delete all' }
  | { kind: 'compact' }
);
/** `rows` may come many times before an answer. */
export type TableReply = { number: number } & ({ rows: VectorRows } | { isThere: boolean } | { error: string });

if (process.send !== undefined) serveRequests(JSON.parse(process.argv[2] ?? '') as TableSettings);

function serveRequests(settings: TableSettings): void {
  process.on('disconnect', () => process.exit());
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined); // its parent decides
  let opening: Promise<VectorTable | null> | null = null;
  let turn: Promise<void> = Promise.resolve();
  process.on('message', (request: TableRequest) => {
    turn = turn.then(async () => {
      try {
        opening ??= openVectorTable(settings);
        const table = await opening;
        if (table === null) opening = null;
        else await handleRequest(table, request);
        await reply({ number: request.number, isThere: table !== null });
      } catch (error) {
        opening = null;
        await reply({ number: request.number, error: messageOf(error) });
      }
    });
  });
}

async function handleRequest(table: VectorTable, request: TableRequest): Promise<void> {
  switch (request.kind) {
    case 'open':
      return;
    case 'read':
      return table.read(request.model, (rows) => reply({ number: request.number, rows }));
    case 'merge':
      return table.merge(request.model, request.rows);
    case 'delete other models':
      return table.deleteOtherModels(request.model);
    case 'delete all':
      return table.deleteAll();
    case 'compact':
      return table.compact();
  }
}

/** Resolves when it is written, so that a large table is not copied into memory. */
function reply(message: TableReply): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
}
