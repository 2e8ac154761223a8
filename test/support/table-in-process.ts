/** The table of vectors in the process of the test: for tests that open it often and are not about its own process. */
import type { VectorTableClient } from '../../src/rooms/memory/embedding/vector-table-client.ts';
import {
  openVectorTable,
  type TableSettings,
  type VectorTable,
} from '../../src/rooms/memory/embedding/vector-table.ts';

export function tableInProcess(settings: TableSettings): VectorTableClient {
  let opening: Promise<VectorTable | null> | null = null;
  return {
    ask: async (asked, take = () => undefined) => {
      try {
        opening ??= openVectorTable(settings);
        const table = await opening;
        if (table === null) opening = null;
        else await answerRequest(table, asked, take);
        return table !== null;
      } catch (error) {
        opening = null;
        throw error;
      }
    },
    close: async () => undefined,
  };
}

type Ask = Parameters<VectorTableClient['ask']>;

async function answerRequest(table: VectorTable, asked: Ask[0], take: NonNullable<Ask[1]>): Promise<void> {
  switch (asked.kind) {
    case 'open':
      return;
    case 'read':
      return table.read(asked.model, async (rows) => take(rows));
    case 'merge':
      return table.merge(asked.model, asked.rows);
    case 'delete other models':
      return table.deleteOtherModels(asked.model);
    case 'delete all':
      return table.deleteAll();
    case 'compact':
      return table.compact();
  }
}
