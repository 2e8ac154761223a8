import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { maintain } from '../../../src/rooms/maintenance/maintain.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import type { Part } from '../../../src/core/schema/learning-part.ts';
import { conclusions, happenings, maintainedHome, testParts, writtenPages } from '../../support/maintain.ts';

type Watched = { told: string[]; shift: (ms: number) => void; stop: () => Promise<void> };
const HOUR = 3_600_000;

/** Keeps to its times in this process; the clock begins a moment before a full hour, and goes on when it is looked at. */
function watch(home: Home, parts: readonly Part[] = testParts, start = '2026-03-29T00:59:59.700Z'): Watched {
  const stop = new AbortController();
  const told: string[] = [];
  let now = Date.parse(start);
  const clock = (): number => (now += 30);
  const done = maintain(home, stop.signal, (line) => void told.push(line), { parts, clock });
  done.catch(() => undefined);
  return {
    told,
    shift: (ms) => void (now += ms),
    stop: async () => {
      stop.abort();
      await done;
    },
  };
}

async function slots(home: Home): Promise<string[]> {
  const events = await writtenPages(home);
  return events.flatMap((event) =>
    event.type === 'slot.came' ? [`${event.data.job} ${event.data.slot.slice(11, 16)} ${event.data.how}`] : [],
  );
}

const reasonOf = async (home: Home): Promise<string> => {
  const last = (await writtenPages(home)).findLast(({ type }) => type === 'slot.came');
  return last?.type === 'slot.came' ? last.data.reason : '';
};

const set = (home: Home, maintenance: object): void => writeFileSync(home.config, JSON.stringify({ maintenance }));
const patience = { timeout: 60_000, interval: 30 };

describe('maintenance that keeps to its times', () => {
  it('N1 makes a pass at a time and tells it, each once', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 100));
    const watched = watch(it.home);
    await expect.poll(() => slots(it.home), patience).toEqual(['learn 01:00 ran']);
    expect(await conclusions(it.home)).toHaveLength(7);
    await watched.stop();
    expect(watched.told).toEqual(['read 100 events; wrote 7 conclusions and 7 pages']);
  });

  it('makes up for what was missed once for all of it, or not at all', async () => {
    await using it = await maintainedHome();
    const first = watch(it.home);
    await expect.poll(() => slots(it.home), patience).toEqual(['learn 01:00 ran']);
    await first.stop();
    await it.ledger.append(happenings(0, 100));
    const second = watch(it.home, testParts, '2026-03-29T01:35:00.000Z');
    await expect.poll(() => slots(it.home), patience).toHaveLength(4);
    await second.stop();
    expect(await reasonOf(it.home)).toBe('no process was there; made up for');
    expect(await conclusions(it.home)).toHaveLength(7);
    set(it.home, { catch_up: false });
    await it.ledger.append(happenings(100, 100));
    const third = watch(it.home, testParts, '2026-03-29T01:45:00.000Z');
    await expect.poll(() => slots(it.home), patience).toHaveLength(5);
    await third.stop();
    expect(await reasonOf(it.home)).toBe('no process was there');
    expect(await conclusions(it.home)).toHaveLength(7);
  });

  it('N2 skips while .oka/STOP is there', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 100));
    writeFileSync(join(it.home.oka, 'STOP'), '');
    const watched = watch(it.home);
    await expect.poll(() => slots(it.home), patience).toEqual(['learn 01:00 skipped']);
    await watched.stop();
    expect([await reasonOf(it.home), await conclusions(it.home)]).toEqual(['.oka/STOP was there', []]);
  });

  it('N2 a pass under way is ended by .oka/STOP', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 3000));
    const stopping: Part = {
      name: 'stopping',
      take: ({ event }) => {
        if (event.seq === 10) writeFileSync(join(it.home.oka, 'STOP'), '');
        if (event.seq % 500 === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 260);
      },
    };
    const watched = watch(it.home, [...testParts, stopping]);
    await expect.poll(() => slots(it.home), patience).toEqual(['learn 01:00 skipped']);
    await watched.stop();
    expect(await conclusions(it.home)).toEqual([]);
  });

  it('N3 a part that throws: told, skipped, and the next time tries again', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 100));
    let isBroken = true;
    const broken: Part = {
      name: 'broken',
      take: () => undefined,
      conclude: () => {
        if (isBroken) throw new Error('this part is broken');
        return [];
      },
    };
    const first = watch(it.home, [broken, ...testParts]);
    await expect.poll(() => slots(it.home), patience).toEqual(['learn 01:00 skipped']);
    expect([await reasonOf(it.home), first.told]).toEqual([
      'this part is broken',
      ['a pass failed: this part is broken'],
    ]);
    await first.stop();
    isBroken = false;
    const second = watch(it.home, [broken, ...testParts], '2026-03-29T01:09:59.700Z');
    await expect.poll(() => slots(it.home), patience).toEqual(['learn 01:00 skipped', 'learn 01:10 ran']);
    await second.stop();
    expect(await conclusions(it.home)).toHaveLength(7);
  });

  it('asks the worker to tidy when it is time', async () => {
    await using it = await maintainedHome();
    set(it.home, { slots: { tidy: '0 1 * * *', learn: '0 0 1 1 *' } });
    const watched = watch(it.home);
    await expect.poll(() => slots(it.home), patience).toEqual(['tidy 01:00 ran']);
    await watched.stop();
    expect(readdirSync(join(it.home.oka, 'intake')).toSorted()).toEqual([
      'archive-20260329010000000.json',
      'tidy-20260329010000000.json',
    ]);
  });

  it('T2 learns on when the clock was set back, and tells no time again', async () => {
    await using it = await maintainedHome();
    const first = watch(it.home);
    await expect.poll(() => slots(it.home), patience).toEqual(['learn 01:00 ran']);
    await first.stop();
    await it.ledger.append(happenings(0, 100));
    const second = watch(it.home, testParts, '2026-03-28T22:59:59.700Z');
    await expect.poll(() => conclusions(it.home), patience).toHaveLength(7);
    second.shift(-HOUR);
    await second.stop();
    expect(await slots(it.home)).toEqual(['learn 01:00 ran']);
  });

  it('does nothing while it is off', async () => {
    await using it = await maintainedHome();
    set(it.home, { off: true });
    const watched = watch(it.home);
    await expect.poll(() => watched.told, patience).toEqual(['maintenance is off in config.json']);
    await watched.stop();
    expect(await slots(it.home)).toEqual([]);
    rmSync(it.home.config);
  });
});
