/** Groups records into requests: as many as fit, and at least one. */
import type { LedgerRecord } from './ledger-record.ts';

export type BatchLimits = { events: number; bytes: number };

/** About as many bytes as the other fields of a record take. */
const OTHER_FIELDS_BYTES = 400;

export async function* batchRecords(
  records: AsyncIterable<LedgerRecord>,
  limits: BatchLimits,
): AsyncGenerator<LedgerRecord[]> {
  let [batch, bytes]: [LedgerRecord[], number] = [[], 0];
  for await (const record of records) {
    const size = OTHER_FIELDS_BYTES + Buffer.byteLength(record.data);
    if (batch.length > 0 && (batch.length >= limits.events || bytes + size > limits.bytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(record);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
