import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { archiveRuns } from '../../../src/core/ledger/archive-runs.ts';
import { FoldStore } from '../../../src/core/ledger/fold-store.ts';
import { catchUp, type Fold, type FoldSources, withRepair } from '../../../src/core/ledger/follower.ts';
import { type Ledger, openLedger } from '../../../src/core/ledger/ledger.ts';
import type { NewEvent, Pen } from '../../../src/core/schema/event.ts';
import { freshFolder, noteOf } from '../../support/ledger-samples.ts';

const SHAPE = { version: 'seen@1' };

type Ledgers = Record<Pen, Ledger> & { files: Record<Pen, string>; folder: string };

async function ledgers(): Promise<Ledgers> {
  const folder = freshFolder();
  const files = { run: join(folder, 'run_ledger.jsonl'), maintenance: join(folder, 'm', 'maintenance_ledger.jsonl') };
  const redact = (text: string): string => text;
  return {
    run: await openLedger(files.run, 'run', { redact }),
    maintenance: await openLedger(files.maintenance, 'maintenance', { redact }),
    files,
    folder,
  };
}

const slot = (cause: number | null): NewEvent => ({
  type: 'slot.came',
  cause,
  data: { job: 'learn', slot: '2026-01-01T00:00:00.000Z', how: 'ran', reason: '' },
});

/** Writes down each event it sees, and counts them in one row. */
const seen: Fold = {
  take: ({ event: { pen, seq } }, rows) => {
    const count = (rows.get<number>('count') ?? 0) + 1;
    rows.put('count', count);
    rows.put(`event/${String(count).padStart(6, '0')}`, `${pen} ${seq}`);
  },
};

const seenIn = (store: FoldStore): string[] => Array.from(store.each<string>('event/'), ([, name]) => name);
const sourcesOf = ({ files }: Ledgers, folds: Fold[] = [seen]): FoldSources => ({ ledgers: files, folds });
const inMemory = (): FoldStore => FoldStore.open(':memory:', SHAPE);

describe('catching up', () => {
  it('puts an event of maintenance right behind the run event it names as its cause', async () => {
    const both = await ledgers();
    await both.run.append([noteOf('1'), noteOf('2'), noteOf('3')]);
    await both.maintenance.append([slot(null), slot(2), slot(2)]);
    const store = inMemory();
    expect(await catchUp(store, sourcesOf(both))).toBe(6);
    expect(seenIn(store)).toEqual(['maintenance 1', 'run 1', 'run 2', 'maintenance 2', 'maintenance 3', 'run 3']);
    expect(await catchUp(store, sourcesOf(both))).toBe(0);
    await both.maintenance.append([slot(1)]);
    await both.run.append([noteOf('4')]);
    await catchUp(store, sourcesOf(both));
    expect(seenIn(store).slice(6)).toEqual(['maintenance 4', 'run 4']);
  });

  it('shows every event of each ledger once and in order, never before its cause, however often it is done', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(4), fc.nat(3), fc.boolean()), { minLength: 1, maxLength: 12 }),
        async (steps) => {
          const both = await ledgers();
          const store = inMemory();
          let runs = 0;
          for (const [notes, slots, isRead] of steps) {
            if (notes > 0) await both.run.append(Array.from({ length: notes }, () => noteOf('x')));
            runs += notes;
            if (slots > 0 && runs > 0) await both.maintenance.append(Array.from({ length: slots }, () => slot(runs)));
            if (isRead) await catchUp(store, sourcesOf(both));
          }
          await catchUp(store, sourcesOf(both));
          const anew = inMemory();
          await catchUp(anew, sourcesOf(both));
          expect(seenIn(store)).toEqual(seenIn(anew));
          expect(seenIn(store).filter((name) => name.startsWith('run'))).toEqual(
            Array.from({ length: runs }, (_, at) => `run ${at + 1}`),
          );
          for (const name of ['run', 'maintenance'] as const) await both[name].close();
        },
      ),
      { numRuns: 20 },
    );
  });

  it('reads one ledger alone, many batches of it, and parts that were archived', async () => {
    const both = await ledgers();
    for (let at = 0; at < 4; at += 1) await both.run.append(Array.from({ length: 450 }, () => noteOf('x'.repeat(900))));
    await archiveRuns(both.run, new Date(Date.now() + 1000), 100_000);
    await both.run.append([noteOf('live')]);
    const store = FoldStore.open(join(both.folder, 'folds.sqlite'), SHAPE);
    const { run } = both.files;
    expect(await catchUp(store, { ledgers: { run }, folds: [seen] })).toBe(both.run.end.seq);
    expect([store.get('count'), store.cursor('run').seq, store.cursor('maintenance').seq]).toEqual([
      both.run.end.seq,
      both.run.end.seq,
      0,
    ]);
    expect(both.run.end.seq).toBeGreaterThan(1800);
    store.close();
  });

  it('F1 a fold that throws leaves the batch unread', async () => {
    const both = await ledgers();
    await both.run.append([noteOf('1'), noteOf('2')]);
    const store = inMemory();
    const broken: Fold = {
      take: ({ event }) => {
        if (event.seq === 2) throw new Error('broken');
      },
    };
    await expect(catchUp(store, sourcesOf(both, [seen, broken]))).rejects.toThrow('broken');
    expect([seenIn(store), store.cursor('run').seq]).toEqual([[], 0]);
  });

  it('F2 rows about another ledger, or about a longer one, are folded again', async () => {
    const both = await ledgers();
    await both.run.append([noteOf('1'), noteOf('2')]);
    copyFileSync(both.files.run, join(both.folder, 'short.jsonl'));
    await both.run.append([noteOf('3')]);
    const store = FoldStore.open(join(both.folder, 'folds.sqlite'), SHAPE);
    await catchUp(store, sourcesOf(both));
    const other = await ledgers();
    await other.run.append(['a', 'b', 'c', 'd'].map((text) => noteOf(text)));
    for (const run of [other.files.run, join(both.folder, 'short.jsonl')]) {
      const sources: FoldSources = { ledgers: { run }, folds: [seen] };
      await expect(catchUp(store, sources)).rejects.toThrow('it is about');
      const count = await withRepair(store, () => catchUp(store, sources));
      expect([count, store.get('count')]).toEqual([run === other.files.run ? 4 : 2, count]);
    }
    store.close();
  });

  it('F3 refuses a durable reading of a run ledger that lost what was read, or what maintenance names', async () => {
    const both = await ledgers();
    await both.run.append([noteOf('1'), noteOf('2')]);
    copyFileSync(both.files.run, join(both.folder, 'short.jsonl'));
    await both.run.append([noteOf('3')]);
    const short: FoldSources = {
      ledgers: { ...both.files, run: join(both.folder, 'short.jsonl') },
      folds: [seen],
    };
    const store = inMemory();
    await catchUp(store, sourcesOf(both), { durable: true });
    await expect(catchUp(store, short, { durable: true })).rejects.toThrow(
      'ends at event 2, but maintenance has already read event 3',
    );
    await both.maintenance.append([slot(3)]);
    await expect(catchUp(inMemory(), short, { durable: true })).rejects.toThrow(
      'ends at event 2, but maintenance has already read event 3',
    );
    const lenient = inMemory();
    expect(await catchUp(lenient, short)).toBe(3);
    const waiting = inMemory();
    await catchUp(waiting, sourcesOf(both), { to: 2 });
    expect(seenIn(waiting)).toEqual(['run 1', 'run 2']);
    await catchUp(waiting, sourcesOf(both));
    expect(seenIn(waiting)).toEqual(['run 1', 'run 2', 'run 3', 'maintenance 1']);
  });

  it('gives folds the texts that they want, also those that only the rows of the same batch tell', async () => {
    const both = await ledgers();
    await both.run.append([noteOf('hash-1'), noteOf('then'), noteOf('lost')]);
    const artifacts = {
      get: async ({ sha256 }: { sha256: string }) => {
        if (sha256 === 'lost') throw new Error('lost');
        return Buffer.from(`text of ${sha256}`);
      },
    };
    const reader: Fold = {
      wants: (event, rows) => {
        const reason = event.type === 'run.paused' ? event.data.reason : '';
        return reason === 'then' ? [`by ${rows.get<string>('last') ?? 'nobody'}`] : [reason];
      },
      take: ({ event, text }, rows) => {
        const reason = event.type === 'run.paused' ? event.data.reason : '';
        rows.put(`text/${event.seq}`, text(reason === 'then' ? 'by hash-1' : reason) ?? 'none');
        rows.put('last', reason);
      },
    };
    const store = inMemory();
    await catchUp(store, { ...sourcesOf(both, [reader]), artifacts });
    expect([...store.each('text/')].map(([, text]) => text)).toEqual(['text of hash-1', 'text of by hash-1', 'none']);
  });

  it('F4 stops after the batch at hand, and goes on from there', async () => {
    const both = await ledgers();
    await both.run.append(Array.from({ length: 900 }, () => noteOf('x')));
    const stop = new AbortController();
    const stopping: Fold = { take: ({ event }) => event.seq === 10 && stop.abort() };
    const store = inMemory();
    expect(await catchUp(store, sourcesOf(both, [seen, stopping]), { signal: stop.signal })).toBe(500);
    expect(await catchUp(store, sourcesOf(both))).toBe(400);
    expect(store.get('count')).toBe(900);
  });
});
