import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Live } from '../../../src/core/ledger/history.ts';
import type { Position } from '../../../src/core/ledger/line.ts';
import { lastSeqOf, offsetOfSeq, positionEndingAt } from '../../../src/core/ledger/seek.ts';
import { freshFolder, noteOf, openPlain, sealRecord } from '../../support/ledger-samples.ts';
import { timesOf } from '../../support/thorough.ts';
import { isThorough } from '../../support/thorough.ts';

type Made = { live: Live; starts: number[]; ends: Position[] };

/** Lengths around the size of one look into the file (16 KB), and far above it. */
const length = fc.oneof(
  fc.nat(50),
  fc.integer({ min: 15_900, max: 16_700 }),
  fc.integer({ min: 32_000, max: 33_000 }),
  fc.constantFrom(70_000, 300_000),
);
const ledgers = fc.record({
  lengths: fc.array(length, { maxLength: 12 }),
  first: fc.constantFrom(1, 9, 95, 1_000_000),
  base: fc.constantFrom(0, 1, 12_345),
});

describe('offsetOfSeq', () => {
  it('finds the same place as reading every line does', () => {
    fc.assert(
      fc.property(ledgers, ({ lengths, first, base }) => {
        const { live, starts } = madeOf(lengths, first, base);
        for (let seq = first - 2; seq <= first + lengths.length + 1; seq += 1)
          expect(offsetOfSeq(live, seq)).toBe(starts[Math.max(0, seq - first)] ?? base + live.size);
      }),
      { numRuns: timesOf(40, 6) },
    );
  });

  it('finds a place in many short lines as in one', () => {
    const { live, starts } = madeOf(Array<number>(2000).fill(0), 1, 0);
    for (let seq = 1; seq <= 2000; seq += isThorough ? 1 : 7) expect(offsetOfSeq(live, seq)).toBe(starts[seq - 1]);
  });

  it.each(['{', '{"seq":', '{"seq":4', '{"seq":4,"type":"run.pau', 'x'.repeat(40_000)])(
    'never points behind the record when the file ends in a torn one: %.30s',
    (torn) => {
      const { live, starts } = madeOf([10, 20_000, 10], 1, 100, torn);
      for (const seq of [1, 2, 3]) expect(offsetOfSeq(live, seq)).toBeLessThanOrEqual(starts[seq - 1] ?? 0);
    },
  );
});

describe('positionEndingAt', () => {
  it('knows exactly the ends of records that reading every line finds', () => {
    fc.assert(
      fc.property(ledgers, fc.array(fc.nat(), { maxLength: 20 }), ({ lengths, first, base }, anywhere) => {
        const { live, starts, ends } = madeOf(lengths, first, base);
        const known = new Map(ends.map((end) => [end.offset, end]));
        const near = [...starts, base, base + live.size].flatMap((at) => [at - 1, at, at + 1]);
        const offsets = [...near, ...anywhere.map((at) => base + (at % (live.size + 1))), 0, -1];
        for (const offset of offsets) expect(positionEndingAt(live, offset)).toEqual(known.get(offset) ?? null);
      }),
      { numRuns: timesOf(40, 6) },
    );
  });

  it('tells every offset of a small file right', () => {
    const { live, ends } = madeOf([0, 5, 1, 300], 4, 17);
    const known = new Map(ends.map((end) => [end.offset, end]));
    for (let offset = 0; offset < 17 + live.size + 20; offset += 1)
      expect(positionEndingAt(live, offset)).toEqual(known.get(offset) ?? null);
  });

  it('is null where a line is no whole record', () => {
    const { live, ends } = madeOf([10, 10], 1, 0, 'no record\n');
    expect(positionEndingAt(live, live.size)).toBeNull();
    expect(positionEndingAt(live, ends[1]?.offset ?? 0)).toEqual(ends[1]);
  });

  it('reaches back over the longest line that can be written', () => {
    const { live, ends } = madeOf([3, 3_000_000, 3], 1, 0);
    expect(ends.map((end) => positionEndingAt(live, end.offset))).toEqual(ends);
  });
});

describe('lastSeqOf', () => {
  it('is 0 without a ledger or without a record', () => {
    const file = join(freshFolder(), 'run_ledger.jsonl');
    expect(lastSeqOf(file)).toBe(0);
    writeFileSync(file, '');
    expect(lastSeqOf(file)).toBe(0);
  });

  it('is the seq of the last whole line, torn end or not', async () => {
    const file = join(freshFolder(), 'run_ledger.jsonl');
    const ledger = await openPlain(file);
    await ledger.append([noteOf('a'), noteOf('b'.repeat(20_000)), noteOf('c')]);
    await ledger.close();
    expect(lastSeqOf(file)).toBe(3);
    writeFileSync(file, `{"seq":4,"type":"${'x'.repeat(40_000)}`, { flag: 'a' });
    expect(lastSeqOf(file)).toBe(3);
  });
});

/** A live file with a record for every length, and what a brute-force reading finds in it. */
function madeOf(lengths: readonly number[], first: number, base: number, torn = ''): Made {
  const starts: number[] = [];
  const ends: Position[] = [];
  let text = '';
  let prev = '0'.repeat(64);
  for (const [index, wanted] of lengths.entries()) {
    const record = recordOf(first + index, wanted, prev);
    starts.push(base + text.length);
    text += record.text;
    prev = record.hash;
    ends.push({ seq: first + index, offset: base + text.length, hash: record.hash });
  }
  return { live: liveOf(text + torn, base), starts, ends };
}

function recordOf(seq: number, wanted: number, prev: string): { text: string; hash: string } {
  const data = { reason: 'x'.repeat(wanted) };
  const at = '2026-01-01T00:00:00.000Z';
  return sealRecord({ seq, type: 'run.paused', run: 'r1', at, pen: 'run', cause: null, v: 1, data }, 0, prev);
}

function liveOf(text: string, base: number): Live {
  const file = join(freshFolder(), 'live.jsonl');
  writeFileSync(file, text);
  const fd = openSync(file, 'r');
  onTestFinished(() => closeSync(fd));
  return { fd, base, size: Buffer.byteLength(text) };
}
