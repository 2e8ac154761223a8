/** A ledger for trials that damage it: its bytes, where each record lies, and where the last batch begins. */
import { readFileSync } from 'node:fs';
import { type Ledger, openLedger } from '../../src/core/ledger/ledger.ts';
import type { Random } from './trial.ts';

export type SampleLedger = {
  bytes: Buffer;
  records: { seq: number; start: number; end: number; batch: number; hash: string }[];
  lastBatch: number;
};

export function openSample(file: string): Promise<Ledger> {
  return openLedger(file, 'run', { redact: (text) => text });
}

/** At least two batches, each of some events with texts of any length. */
export async function writeSample(file: string, random: Random): Promise<SampleLedger> {
  const ledger = await openSample(file);
  const starts: number[] = [];
  for (let batches = random.between(2, 6); batches > 0; batches -= 1) {
    const events = Array.from({ length: random.between(1, 8) }, () => random.below(random.chance(0.2) ? 4000 : 200));
    for (const _ of events) starts.push(ledger.end.offset);
    await ledger.append(
      events.map((length) => ({ type: 'run.paused' as const, run: 'r1', data: { reason: 'x'.repeat(length) } })),
    );
  }
  await ledger.close();
  const bytes = readFileSync(file);
  return { bytes, records: recordsIn(bytes, starts), lastBatch: starts.at(-1) ?? 0 };
}

function recordsIn(bytes: Buffer, starts: readonly number[]): SampleLedger['records'] {
  const records: SampleLedger['records'] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start) + 1;
    const { seq, hash } = JSON.parse(bytes.toString('utf8', start, end)) as { seq: number; hash: string };
    records.push({ seq, start, end, batch: starts[seq - 1] ?? 0, hash });
    start = end;
  }
  return records;
}
