/** Many who write at once, on a disk that fills up and is freed again and again. */
import { fdatasyncSync, fstatSync, readdirSync, readSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Ledger } from '../../src/core/ledger/ledger.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import type { Event } from '../../src/core/schema/event.ts';
import type { Flush } from '../../src/core/schema/ports.ts';
import { freshFolder, noteOf, openPlain, type Random, randomFrom } from '../support/ledger-samples.ts';
import { mayMount, mountSmall, unmount } from '../support/small-disk.ts';
import { someOf } from '../support/thorough.ts';

const SEEDS = Array.from({ length: 30 }, (_, seed) => seed + 1);
const MOST_FROM_LISTENERS = 500;

type Known = { acknowledged: Event[]; lost: Event[] };

describe.skipIf(!mayMount)('a crowd on a disk without space (needs the right to mount a small tmpfs)', () => {
  let disk = '';
  beforeEach(() => {
    disk = freshFolder();
    mountSmall(disk, 'size=2m');
  });
  afterEach(() => unmount(disk));

  it.each(someOf(SEEDS))(
    'L3 L6 loses nothing that was acknowledged, and tells of every record once and in order (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      const file = join(disk, 'l.jsonl');
      const early: string[] = [];
      const heard: number[] = [];
      const known: Known = { acknowledged: [], lost: [] };
      let fromListeners = 0;
      const ledger: Ledger = await openPlain(file, {
        flush: watchedFlush(random, early),
        onBatch: (events) => {
          heard.push(...events.map(({ seq }) => seq));
          if (!random.chance(0.1) || fromListeners++ > MOST_FROM_LISTENERS) return;
          void told(ledger, known, [ledger.stage(noteOf('from a listener'))]);
        },
      });
      const crowd = Array.from({ length: random.between(1, 150) }, (_, id) => oneOfMany(ledger, random, id, known));
      const filling = new AbortController();
      const filled = fillAndFree(disk, random, filling.signal);
      await Promise.all(crowd);
      filling.abort();
      await filled;
      await ledger.append(noteOf('end')).catch(() => null);
      await ledger.close();
      const lines = await Array.fromAsync(readEvents(file));
      expect(early).toEqual([]);
      expect(await verifyLedger(file)).toMatchObject({ state: 'intact' });
      for (const { seq, data } of known.acknowledged) expect(lines[seq - 1]?.data).toEqual(data);
      expect(known.lost.filter((event) => known.acknowledged.includes(event))).toEqual([]);
      expect(heard).toEqual(lines.map(({ seq }) => seq));
    },
  );
});

/** A flush that takes a few turns, and notes records that claim more to be durable than is. */
function watchedFlush(random: Random, early: string[]): Flush {
  let durable = 0;
  const look = (fd: number): number => {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.max(0, size - durable));
    readSync(fd, bytes, 0, bytes.length, durable);
    for (const line of bytes.toString().split('\n').filter(Boolean)) {
      const { seq, d } = JSON.parse(line) as { seq: number; d: number };
      if (d > durable) early.push(`record ${seq} says ${d}, but ${durable} bytes are durable`);
    }
    return size;
  };
  return {
    now: (fd) => {
      const size = look(fd);
      fdatasyncSync(fd);
      durable = size;
    },
    later: async (fd) => {
      const size = look(fd);
      for (let rest = random.below(4); rest >= 0; rest -= 1) await turn();
      durable = size;
    },
  };
}

async function oneOfMany(ledger: Ledger, random: Random, id: number, known: Known): Promise<void> {
  for (let round = 0; round < 25; round += 1) {
    const staged = Array.from({ length: random.between(1, 3) }, () =>
      ledger.stage(noteOf(`${id} ${round} ${'x'.repeat(random.below(600))}`)),
    );
    if (random.chance(0.2)) await turn();
    await told(ledger, known, staged);
    if (random.chance(0.3)) await turn();
  }
}

function told(ledger: Ledger, { acknowledged, lost }: Known, staged: Event[]): Promise<unknown> {
  return ledger.flush(staged).then(
    () => acknowledged.push(...staged),
    () => lost.push(...staged),
  );
}

async function fillAndFree(disk: string, random: Random, signal: AbortSignal): Promise<void> {
  const free = (): void => {
    for (const name of readdirSync(disk).filter((each) => each.startsWith('fill'))) rmSync(join(disk, name));
  };
  for (let count = 0; !signal.aborted; count += 1) {
    for (let rest = random.below(30); rest >= 0; rest -= 1) await turn();
    const { bavail, bsize } = statfsSync(disk);
    const room = Math.max(0, bavail * bsize - random.below(20_000));
    if (random.chance(0.5)) free();
    else writeFileSync(join(disk, `fill${count}`), Buffer.alloc(room));
  }
  free();
}
