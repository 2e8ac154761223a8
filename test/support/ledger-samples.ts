/** Ledgers made for tests: real files in a folder of their own, and randomness that can be repeated by its seed. */
import { Sealer } from '../../src/core/ledger/line.ts';
import { readFileSync } from 'node:fs';
import { vi } from 'vitest';
import { type Ledger, type LedgerOptions, openLedger } from '../../src/core/ledger/ledger.ts';
import type { Event, NewEvent } from '../../src/core/schema/event.ts';
import { memoryFolder } from './test-folders.ts';

export type Random = {
  below(limit: number): number;
  between(least: number, most: number): number;
  chance(probability: number): boolean;
};

/** mulberry32 */
export function randomFrom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => next() < probability,
  };
}

/** Thousands of images and many processes, perhaps on a busy machine: this only catches what hangs. */
vi.setConfig({ testTimeout: 240_000 });

/** In memory where that is possible: these tests cut bytes themselves, and no disk has to be waited for. */
export const freshFolder = (): string => memoryFolder('oka-ledger-');

export function openPlain(file: string, options: Partial<LedgerOptions> = {}): Promise<Ledger> {
  return openLedger(file, 'run', { redact: (text) => text, ...options });
}

export function noteOf(text: string, run = 'r1'): NewEvent {
  return { type: 'run.paused', run, data: { reason: text } };
}

/** Where a record is (its newline included), and where the batch it was written in begins. */
export type WrittenRecord = { seq: number; start: number; end: number; batch: number; hash: string };
export type WrittenLedger = { bytes: Buffer; records: WrittenRecord[]; lastBatch: number };

/** Appends one batch after another; each is given as the text lengths of its events. */
export async function writeLedger(file: string, batches: readonly (readonly number[])[]): Promise<WrittenLedger> {
  const ledger = await openPlain(file);
  const starts: number[] = [];
  for (const lengths of batches) {
    for (const _ of lengths) starts.push(ledger.end.offset);
    await ledger.append(lengths.map((length, index) => noteOf(`${index}${'x'.repeat(length)}`)));
  }
  await ledger.close();
  const bytes = readFileSync(file);
  return { bytes, records: recordsIn(bytes, starts), lastBatch: starts.at(-1) ?? 0 };
}

function recordsIn(bytes: Buffer, starts: readonly number[]): WrittenRecord[] {
  const records: WrittenRecord[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start) + 1;
    const { seq, hash } = JSON.parse(bytes.toString('utf8', start, end)) as { seq: number; hash: string };
    records.push({ seq, start, end, batch: starts[seq - 1] ?? 0, hash });
    start = end;
  }
  return records;
}

/** Batches of one to `mostEvents` events with texts of up to `mostText` characters. */
export function randomBatches(random: Random, count: number, mostEvents: number, mostText: number): number[][] {
  return Array.from({ length: count }, () =>
    Array.from({ length: random.between(1, mostEvents) }, () => random.below(mostText)),
  );
}

/** One record as it is in the file. */
export function sealRecord(event: Event, durable: number, prev: string): { text: string; hash: string } {
  const sealer = new Sealer();
  const hash = sealer.add(event, JSON.stringify(event.data), durable, prev);
  return { text: sealer.bytes.toString('utf8'), hash };
}
