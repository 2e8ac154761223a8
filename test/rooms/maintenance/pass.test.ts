import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  lstatSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  openMaintenance,
  type Maintenance,
  type MaintenanceOverrides,
} from '../../../src/rooms/maintenance/open-maintenance.ts';
import { previewPass } from '../../../src/rooms/maintenance/preview.ts';
import { runPass, type PassResult } from '../../../src/rooms/maintenance/pass.ts';
import { learningFile, prepareMaintenanceFolder } from '../../../src/kit/home/maintenance-folder.ts';
import { rebuildMaintenance } from '../../../src/rooms/maintenance/rebuild.ts';
import { loadConfig } from '../../../src/kit/settings.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { archiveRuns } from '../../../src/core/ledger/archive-runs.ts';
import { openLedger } from '../../../src/core/ledger/ledger.ts';
import { verifyLedger } from '../../../src/core/ledger/verify-ledger.ts';
import type { Part } from '../../../src/core/schema/learning-part.ts';
import { conclusions, dumpOf, happenings, maintainedHome, testParts, writtenPages } from '../../support/maintain.ts';
import { timesOf } from '../../support/thorough.ts';

const never = new AbortController().signal;

async function held<T>(
  home: Home,
  work: (m: Maintenance) => Promise<T>,
  swapped: MaintenanceOverrides = {},
): Promise<T> {
  const m = await openMaintenance(home, await loadConfig(home), { parts: testParts, ...swapped });
  try {
    return await work(m);
  } finally {
    await m.close();
  }
}

const passOn = (home: Home, swapped: MaintenanceOverrides = {}): Promise<PassResult> =>
  held(home, (m) => runPass(m, never), swapped);

/** What a book made anew holds. */
async function rebuilt(home: Home): Promise<ReturnType<typeof dumpOf>> {
  await rebuildMaintenance(home, await loadConfig(home), never, { parts: testParts });
  return dumpOf(home);
}

describe('a pass', () => {
  it('on an empty home reads nothing and writes nothing', async () => {
    await using it = await maintainedHome();
    expect(await passOn(it.home)).toMatchObject({ events: 0, concluded: 0, pages: 0, isWhole: true });
    expect(await writtenPages(it.home)).toEqual([]);
  });

  it('M1 concludes from what is new, writes it down with what it had read, and again concludes nothing', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 700));
    const first = await passOn(it.home);
    expect(first.concluded).toBe(70 + 21); // every tenth of a run, and what follows from every third of those
    expect((await writtenPages(it.home)).every(({ cause, pen }) => cause === 700 && pen === 'maintenance')).toBe(true);
    expect(await passOn(it.home)).toMatchObject({ events: 0, concluded: 0, pages: 0 });
    await it.ledger.append(happenings(700, 70));
    expect(await passOn(it.home)).toMatchObject({ events: 70, concluded: 7 });
    expect(new Set(await conclusions(it.home)).size).toBe((await conclusions(it.home)).length);
  });

  it('B1 a book made anew equals the live one row for row, however the passes and the events fell', async () => {
    const story = fc.array(fc.integer({ min: 0, max: 120 }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(story, async (counts) => {
        await using it = await maintainedHome();
        let from = 0;
        for (const count of counts) {
          await it.ledger.append(happenings(from, count));
          from += count;
          await passOn(it.home);
        }
        const live = dumpOf(it.home);
        const pages = pagesOf(it.home);
        rmSync(join(it.home.oka, 'brain'), { recursive: true });
        expect(await rebuilt(it.home)).toEqual(live);
        expect(pagesOf(it.home)).toEqual(pages);
      }),
      { numRuns: timesOf(6, 2) },
    );
  });

  it('goes on where a pass died between writing conclusions and taking them in', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 300));
    await held(it.home, async (m) => {
      const dying: Part = {
        name: 'dying',
        take: ({ event }) => {
          if (event.type === 'fact.kept') throw new Error('the power went out');
        },
      };
      const folds = [...m.parts, dying];
      await expect(runPass({ ...m, sources: { ...m.sources, folds } }, never)).rejects.toThrow('the power went out');
    });
    await it.ledger.append(happenings(300, 55)); // comes behind what was concluded
    await passOn(it.home);
    const live = dumpOf(it.home);
    const known = await conclusions(it.home);
    expect(new Set(known).size).toBe(known.length);
    expect(await rebuilt(it.home)).toEqual(live);
  });

  it('a part that throws ends the pass, and what was read stays read', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 30));
    const broken: Part = {
      name: 'order',
      take: () => undefined,
      conclude: () => {
        throw new Error('this part is broken');
      },
    };
    await expect(passOn(it.home, { parts: [broken] })).rejects.toThrow('this part is broken');
    expect(dumpOf(it.home).cursors).toMatchObject([{ pen: 'run', seq: 30 }]);
  });

  it('B2 a part that concludes without end is stopped', async () => {
    await using it = await maintainedHome();
    const endless: Part = {
      name: 'endless',
      take: () => undefined,
      conclude: () => [{ type: 'change.undone', data: { change: 1, reason: 'again' } }],
    };
    await expect(passOn(it.home, { parts: [endless] })).rejects.toThrow('"endless" concludes without end');
    expect((await writtenPages(it.home)).length).toBeLessThan(100);
  });

  it('concluding and telling cannot change the book', async () => {
    await using it = await maintainedHome();
    const meddling: Part = { name: 'm', take: () => undefined, conclude: (book) => (book.put('a', 1), []) };
    await expect(passOn(it.home, { parts: [meddling] })).rejects.toThrow('only by events');
  });

  it('C3 a book about another ledger, a damaged one and a lost one are made anew', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 200));
    await passOn(it.home);
    const live = dumpOf(it.home);
    await using other = await maintainedHome();
    await other.ledger.append(happenings(50, 150));
    await passOn(other.home);
    const books = learningFile(it.home);
    for (const spoil of [
      () => writeFileSync(books, readFileSync(learningFile(other.home))),
      () => writeFileSync(books, readFileSync(books).fill(7, 5000)),
      () => rmSync(books),
    ]) {
      spoil();
      expect(await passOn(it.home)).toMatchObject({ concluded: 0 });
      expect(dumpOf(it.home)).toEqual(live);
    }
  });

  it('a run ledger that is shorter than what was learned from is refused, and nothing is thrown away', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 100));
    await passOn(it.home);
    const live = dumpOf(it.home);
    await it.ledger.close();
    const whole = readFileSync(it.home.ledgers.run, 'utf8').split('\n');
    writeFileSync(it.home.ledgers.run, `${whole.slice(0, 60).join('\n')}\n`);
    await expect(passOn(it.home)).rejects.toThrow('the run ledger ends at event 60');
    expect(dumpOf(it.home)).toEqual(live);
  });

  it('reads on over archiving of either ledger', async () => {
    await using it = await maintainedHome();
    const ended = (run: string) => ({ type: 'run.ended', run, data: { status: 'done', reason: '' } }) as const;
    await it.ledger.append([...happenings(0, 210), ...[0, 1, 2, 3, 4, 5, 6].map((n) => ended(`r${n}`))]);
    await passOn(it.home);
    expect(await archiveRuns(it.ledger, new Date(Date.now() + 1000), 1024)).not.toBeNull();
    await held(it.home, async (m) => void (await archiveRuns(m.ledger, new Date(Date.now() + 1000), 1024)));
    await it.ledger.append(happenings(217, 100));
    await passOn(it.home);
    const live = dumpOf(it.home);
    expect(await rebuilt(it.home)).toEqual(live);
    expect(await verifyLedger(it.home.ledgers.maintenance)).toMatchObject({ state: 'intact' });
  });

  it('M4 told to stop it ends after a batch, and the next one goes on there', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 2000));
    const stop = new AbortController();
    const stopping: Part = { name: 'stopping', take: ({ event }) => void (event.seq === 600 && stop.abort()) };
    const parts = [...testParts, stopping];
    expect(await held(it.home, (m) => runPass(m, stop.signal), { parts })).toMatchObject({
      events: 1000,
      isWhole: false,
    });
    expect(await passOn(it.home, { parts })).toMatchObject({ isWhole: true });
    await passOn(it.home);
    expect(await conclusions(it.home)).toHaveLength(new Set(await conclusions(it.home)).size);
  });

  it('M2 what a person wrote is recorded before the page is replaced, and is still there', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 140));
    await passOn(it.home);
    const page = join(it.home.oka, 'brain', 'LEARNINGS-r1.md');
    writeFileSync(page, `${readFileSync(page, 'utf8')}\nmind the gap\n`);
    await it.ledger.append(happenings(140, 7));
    expect(await passOn(it.home)).toMatchObject({ edits: 1 });
    expect(readFileSync(page, 'utf8')).toContain('mind the gap');
    expect((await writtenPages(it.home)).filter(({ type }) => type === 'page.edited')).toHaveLength(1);
    const live = pagesOf(it.home);
    rmSync(join(it.home.oka, 'brain'), { recursive: true });
    await rebuilt(it.home);
    expect(pagesOf(it.home)).toEqual(live);
  });

  it('a folder of pages that cannot be written is told in one line, and the pass after goes on', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 70));
    const brain = join(it.home.oka, 'brain');
    rmSync(brain, { recursive: true });
    writeFileSync(brain, 'in the way');
    await expect(passOn(it.home)).rejects.toThrow(/brain/);
    rmSync(brain);
    expect(await passOn(it.home)).toMatchObject({ concluded: 0, isWhole: true });
    expect(existsSync(join(brain, 'LEARNINGS-r1.md'))).toBe(true);
  });

  it('is foreseen without a trace', async () => {
    await using it = await maintainedHome();
    await it.ledger.append(happenings(0, 100));
    await passOn(it.home);
    const live = dumpOf(it.home);
    await it.ledger.append(happenings(100, 70));
    const seen = await previewPass(it.home, never, { parts: testParts });
    expect([seen.events, seen.concluded.length, seen.pages.length]).toEqual([70, 7, 7]);
    expect(dumpOf(it.home)).toEqual(live);
  });
});

describe('the place of maintenance', () => {
  it('takes in a ledger of an older home, with its archive, once', async () => {
    await using it = await maintainedHome();
    const { home } = it;
    rmSync(join(home.oka, 'maintenance'), { recursive: true });
    const before = join(home.oka, 'maintenance_ledger.jsonl');
    rmSync(before, { force: true });
    const old = await openLedger(before, 'maintenance', { redact: (text) => text });
    await old.append(Array.from({ length: 20 }, () => ({ type: 'ledger.disk_freed', data: {} }) as const));
    expect(await archiveRuns(old, new Date(Date.now() + 1000), 100)).not.toBeNull();
    await old.append({ type: 'ledger.disk_freed', data: {} });
    expect(() => prepareMaintenanceFolder(home)).toThrow('is being written by');
    await old.close();
    prepareMaintenanceFolder(home);
    prepareMaintenanceFolder(home);
    expect(readlinkSync(before)).toBe('maintenance/maintenance_ledger.jsonl');
    expect(await verifyLedger(home.ledgers.maintenance)).toMatchObject({ state: 'intact', events: 22 });
    expect(await passOn(home)).toMatchObject({ isWhole: true });
  });

  it('refuses two ledgers, and leaves both', async () => {
    await using it = await maintainedHome();
    const { home } = it;
    await passOn(home);
    const link = join(home.oka, 'maintenance_ledger.jsonl');
    rmSync(link);
    writeFileSync(link, 'mine\n');
    expect(() => prepareMaintenanceFolder(home)).toThrow('are both there');
    expect(readFileSync(link, 'utf8')).toBe('mine\n');
  });

  it('is followed by nobody when it is a link to elsewhere', async () => {
    await using it = await maintainedHome();
    const { home } = it;
    await passOn(home);
    const elsewhere = join(home.dir, 'elsewhere.jsonl');
    renameSync(home.ledgers.maintenance, elsewhere);
    symlinkSync(elsewhere, home.ledgers.maintenance);
    await expect(passOn(home)).rejects.toThrow('is a symbolic link');
    expect(lstatSync(elsewhere).size).toBe(0);
  });
});

function pagesOf(home: Home): Record<string, string> {
  mkdirSync(join(home.oka, 'brain'), { recursive: true });
  return Object.fromEntries(
    Array.from({ length: 7 }, (_, n) => join(home.oka, 'brain', `LEARNINGS-r${n}.md`))
      .filter((file) => existsSync(file))
      .map((file) => [file, readFileSync(file, 'utf8')]),
  );
}
