/** L1 against the disk: power cuts in every form, flipped bytes, cut and shuffled lines. */
import { closeSync, constants, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { diskFlush } from '../../src/core/ledger/disk.ts';
import type { Position } from '../../src/core/ledger/line.ts';
import { type Cut, recover, type Recovered } from '../../src/core/ledger/recover.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { OkaError } from '../../src/core/schema/errors.ts';
import type { Event } from '../../src/core/schema/event.ts';
import { type Image, imagesOf } from '../support/ledger-images.ts';
import {
  freshFolder,
  noteOf,
  openPlain,
  randomBatches,
  randomFrom,
  type WrittenLedger,
  type WrittenRecord,
  writeLedger,
  sealRecord,
} from '../support/ledger-samples.ts';

describe('power cuts', () => {
  const counted = { images: 0, opened: 0 };
  afterAll(() => {
    expect(counted.images).toBeGreaterThanOrEqual(20_000);
    expect(counted.opened).toBeGreaterThanOrEqual(300);
  });

  const cases = [
    { events: 1, text: 1, images: 500 },
    { events: 1, text: 3000, images: 3000 },
    { events: 2, text: 1, images: 500 },
    { events: 3, text: 200, images: 2000 },
    { events: 5, text: 1, images: 3000 },
    { events: 6, text: 1500, images: 4000 },
    { events: 8, text: 100, images: 5000 },
    { events: 12, text: 20, images: 8000 },
    { events: 16, text: 80, images: 9000 },
    { events: 20, text: 1, images: 13_000 },
    { events: 20, text: 600, images: 8000 },
    { events: 20, text: 4000, images: 2500 },
  ];
  it.each(cases)(
    'L1 whatever sectors of $events unflushed events (texts of $text) arrived, nothing acknowledged is lost',
    async ({ events, text, images }) => {
      const seed = events * 10_000 + text;
      const random = randomFrom(seed);
      const folder = freshFolder();
      const last = Array.from({ length: events }, () => random.below(text + 1));
      const written = await writeLedger(join(folder, 'made.jsonl'), [...randomBatches(random, 3, 3, 200), last]);
      const file = join(folder, 'image.jsonl');
      for (const image of imagesOf(written, random, images)) {
        counted.images += 1;
        const about = `seed ${seed}, ${image.about}`;
        if (counted.images % 50 === 0) {
          counted.opened += 1;
          await expectOpened(file, written, image, about);
        } else await expectRecovered(file, written, image, about);
      }
    },
  );

  it('L1 a ledger cut at any byte of its last three events opens with every whole event and goes on', async () => {
    const folder = freshFolder();
    const written = await writeLedger(join(folder, 'made.jsonl'), [[3, 4], [5], [6], [7]]);
    const file = join(folder, 'image.jsonl');
    const from = written.records.at(-3)?.start ?? 0;
    for (let size = from; size <= written.bytes.length; size += 1) {
      const image = { bytes: written.bytes.subarray(0, size), about: `cut at ${size}` };
      if (size % 10 === 0) await expectOpened(file, written, image, image.about);
      else await expectRecovered(file, written, image, image.about);
    }
  });
});

describe('flipped bytes', () => {
  it('L1 a flipped byte below a later watermark is refused wherever it is, and the file stays as it was', async () => {
    for (const lastBatch of [[10], [10, 20, 30]]) {
      const folder = freshFolder();
      const written = await writeLedger(join(folder, 'made.jsonl'), [[5, 6, 7], [8], [9, 10], lastBatch]);
      for (let at = 0; at < written.lastBatch; at += 1)
        await expectRefused(
          join(folder, 'image.jsonl'),
          flipped(written.bytes, at, 1 << (at % 8)),
          recordAt(written, at),
        );
    }
  });

  it('L1 a flipped byte in the last batch is cut off with what follows it, kept aside and reported', async () => {
    for (const lastBatch of [[10], [10, 20, 30]]) {
      const folder = freshFolder();
      const written = await writeLedger(join(folder, 'made.jsonl'), [[5, 6, 7], [8], lastBatch]);
      for (let at = written.lastBatch; at < written.bytes.length; at += 1) {
        const image = { bytes: flipped(written.bytes, at, 1 << (at % 8)), about: `byte ${at} flipped` };
        if (at % 10 === 0) await expectOpened(join(folder, 'image.jsonl'), written, image, image.about);
        else await expectRecovered(join(folder, 'image.jsonl'), written, image, image.about);
      }
    }
  });

  it('L1 one byte flipped at 500 random places is refused or cut off as the batches say', async () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const random = randomFrom(seed);
      const folder = freshFolder();
      const written = await writeLedger(
        join(folder, 'made.jsonl'),
        randomBatches(random, random.between(1, 6), 4, 900),
      );
      const at = random.below(written.bytes.length);
      const bytes = flipped(written.bytes, at, random.between(1, 255));
      const file = join(folder, 'image.jsonl');
      if (at < written.lastBatch) await expectRefused(file, bytes, recordAt(written, at), `seed ${seed}`);
      else await expectOpened(file, written, { bytes, about: '' }, `seed ${seed}, byte ${at} flipped`);
      rmSync(folder, { recursive: true });
    }
  });
});

describe('lines out of their place', () => {
  const made = async (): Promise<{ file: string; written: WrittenLedger; lines: Buffer[] }> => {
    const folder = freshFolder();
    const written = await writeLedger(join(folder, 'made.jsonl'), [[5], [6, 70], [8], [90, 10, 11]]);
    const lines = written.records.map(({ start, end }) => written.bytes.subarray(start, end));
    return { file: join(folder, 'image.jsonl'), written, lines };
  };

  it('L1 two swapped lines are refused', async () => {
    const { file, written, lines } = await made();
    for (let first = 0; first < lines.length; first += 1) {
      for (let second = first + 1; second < lines.length; second += 1) {
        const swapped = lines.with(first, line(lines, second)).with(second, line(lines, first));
        await expectRefused(file, Buffer.concat(swapped), record(written, first));
      }
    }
  });

  it('L1 a deleted line is refused, unless it was the last one and nothing is left that knows of it', async () => {
    const { file, written, lines } = await made();
    for (let gone = 0; gone < lines.length - 1; gone += 1)
      await expectRefused(file, Buffer.concat(lines.toSpliced(gone, 1)), record(written, gone));
    const bytes = Buffer.concat(lines.slice(0, -1));
    await expectOpened(file, written, { bytes, about: '' }, 'last line deleted');
  });

  it('L1 a duplicated line is refused, in the middle and at the very end', async () => {
    const { file, written, lines } = await made();
    for (let copied = 0; copied < lines.length; copied += 1) {
      for (let behind = 0; behind < lines.length; behind += 1) {
        const { seq, end } = record(written, behind);
        const bytes = Buffer.concat(lines.toSpliced(behind + 1, 0, line(lines, copied)));
        if (copied !== behind + 1) await expectRefused(file, bytes, { seq: seq + 1, start: end });
      }
    }
  });
});

/** What must be left of an image: every record before the first that is not whole. */
function keptOf({ bytes, records }: WrittenLedger, image: Buffer): WrittenRecord | undefined {
  const broken = records.findIndex(({ start, end }) => !bytes.subarray(start, end).equals(image.subarray(start, end)));
  return broken === -1 ? records.at(-1) : records[broken - 1];
}

/** Through `recover` alone, many thousand times. */
async function expectRecovered(file: string, written: WrittenLedger, image: Image, about: string): Promise<void> {
  const kept = keptOf(written, image.bytes);
  const from = image.bytes.length % 2 === 0 ? durableEnd(written) : null;
  const { end, cut } = await recoveredFrom(file, image.bytes, about, from, (fd, { end }) => {
    const next = { ...noteOf('next'), seq: end.seq + 1, run: 'r1', at: '', pen: 'run', cause: null, v: 1 } as Event;
    writeSync(fd, sealRecord(next, end.offset, end.hash).text);
  });
  if (end.seq !== (kept?.seq ?? 0) || end.offset !== (kept?.end ?? 0) || (kept && end.hash !== kept.hash))
    expect.fail(`${about}: kept up to ${JSON.stringify(end)} instead of ${JSON.stringify(kept)}`);
  expectKeptAside(file, image.bytes.subarray(end.offset), cut, end.offset, about);
  const verdict = await verifyLedger(file);
  if (verdict.state !== 'intact' || verdict.events !== end.seq + 1) expect.fail(`${about}: ${JSON.stringify(verdict)}`);
}

/** Where a snapshot could stand: the last record before the last batch. */
function durableEnd({ records, lastBatch }: WrittenLedger): Position | null {
  const last = records.findLast(({ end }) => end <= lastBatch);
  return last === undefined ? null : { seq: last.seq, offset: last.end, hash: last.hash };
}

async function recoveredFrom(
  file: string,
  image: Buffer,
  about: string,
  from: Position | null,
  then: (fd: number, recovered: Recovered) => void,
): Promise<Recovered> {
  writeFileSync(file, image);
  const fd = openSync(file, constants.O_RDWR | constants.O_APPEND);
  try {
    const recovered = await recover(file, fd, diskFlush, { from });
    then(fd, recovered);
    return recovered;
  } catch (error) {
    throw new Error(`${about}: refused`, { cause: error });
  } finally {
    closeSync(fd);
  }
}

/** The whole way: open, see the repair recorded, append, close, verify. */
async function expectOpened(file: string, written: WrittenLedger, image: Image, about: string): Promise<void> {
  const kept = keptOf(written, image.bytes);
  writeFileSync(file, image.bytes);
  const ledger = await openPlain(file);
  const torn = image.bytes.subarray(kept?.end ?? 0);
  const repairs = torn.length > 0 ? 1 : 0;
  expect(ledger.end.seq, about).toBe((kept?.seq ?? 0) + repairs);
  await ledger.append(noteOf('next'));
  const added = await Array.fromAsync(ledger.read({ from: (kept?.seq ?? 0) + 1 }));
  await ledger.close();
  expect(added.map(({ type }) => type).toSpliced(0, repairs), about).toEqual(['run.paused']);
  const cut = added[0]?.type === 'ledger.repaired' ? added[0].data : null;
  expectKeptAside(file, torn, cut, kept?.end ?? 0, about);
  expect(await verifyLedger(file), about).toMatchObject({ state: 'intact', events: (kept?.seq ?? 0) + repairs + 1 });
}

/** What was cut is in the quarantine, byte for byte; the quarantine is then emptied for the next image. */
function expectKeptAside(file: string, torn: Buffer, cut: Cut | null, offset: number, about: string): void {
  if (cut === null) {
    if (torn.length > 0) expect.fail(`${about}: ${torn.length} bytes were not reported`);
    return;
  }
  const kept = join(dirname(file), cut.kept);
  if (!readFileSync(kept).equals(torn) || cut.offset !== offset || cut.bytes !== torn.length || torn.length === 0)
    expect.fail(`${about}: what was kept aside is not what was cut`);
  rmSync(kept);
  if (readdirSync(dirname(kept)).length > 0) expect.fail(`${about}: more was kept aside than reported`);
}

async function expectRefused(
  file: string,
  image: Buffer,
  bad: Pick<WrittenRecord, 'seq' | 'start'>,
  about = '',
): Promise<void> {
  writeFileSync(file, image);
  const fd = openSync(file, constants.O_RDWR | constants.O_APPEND);
  const error: unknown = await recover(file, fd, diskFlush, {}).then(
    () => null,
    (reason: unknown) => reason,
  );
  closeSync(fd);
  const expected = `damaged at seq ${bad.seq}, byte ${bad.start}`;
  if (!(error instanceof OkaError) || error.code !== 'ledger-damaged' || !error.message.includes(expected))
    expect.fail(`${about}: expected "${expected}", got ${String(error)}`);
  if (!readFileSync(file).equals(image)) expect.fail(`${about}: the file was changed`);
}

function flipped(bytes: Buffer, at: number, bits: number): Buffer {
  const image = Buffer.from(bytes);
  image[at] = (image[at] ?? 0) ^ bits;
  return image;
}

function recordAt({ records }: WrittenLedger, at: number): WrittenRecord {
  const found = records.find(({ start, end }) => start <= at && at < end);
  if (found === undefined) throw new Error(`no record at byte ${at}`);
  return found;
}

function record({ records }: WrittenLedger, index: number): WrittenRecord {
  return records[index] ?? expect.fail(`no record ${index}`);
}

function line(lines: readonly Buffer[], index: number): Buffer {
  return lines[index] ?? expect.fail(`no line ${index}`);
}
