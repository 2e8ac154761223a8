import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FoldStore, readProgress } from '../../../src/core/ledger/fold-store.ts';
import { StoreDamaged } from '../../../src/core/ledger/fold-database.ts';
import { fromStoredKey, toStoredKey } from '../../../src/core/ledger/row-keys.ts';
import type { Range, Rows } from '../../../src/core/schema/rows.ts';
import { freshFolder } from '../../support/ledger-samples.ts';
import { mayMount, mountSmall, unmount } from '../../support/small-disk.ts';
import { anyCodePoint } from '../../support/any-code-point.ts';

const SHAPE = { version: 'a@1' };
const fresh = (): string => join(freshFolder(), 'folds.sqlite');

const anyKey = fc.oneof(
  fc.string({ unit: anyCodePoint, maxLength: 6 }),
  fc.array(fc.integer({ min: 0xd7_f0, max: 0xff_ff }), { maxLength: 4 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('a', 'a/', 'a/b', 'a0', '', '\ud7ff', '\uffff', '\ue000', '😀', '\ud83d', 'a\0', 'a\0b'),
);
const anyChange = fc.tuple(anyKey, fc.oneof(fc.constant(null), fc.jsonValue()));
const anyRange: fc.Arbitrary<Range> = fc.record(
  { after: anyKey, before: anyKey, reverse: fc.boolean(), limit: fc.nat(5) },
  { requiredKeys: [] },
);

/** The same rows, kept as simply as possible. */
class Model {
  readonly rows = new Map<string, string>();
  put(key: string, value: unknown): void {
    if (value === null) this.rows.delete(key);
    else this.rows.set(key, JSON.stringify(value));
  }
  each(prefix: string, { after, before, reverse = false, limit = Infinity }: Range): [string, unknown][] {
    const keys = [...this.rows.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    const within = keys.filter((key) => (after === undefined || key > after) && (before === undefined || key < before));
    if (reverse) within.reverse();
    return within.slice(0, limit).map((key) => [key, JSON.parse(this.rows.get(key) ?? 'null')]);
  }
}

/** As maintenance stored what it had learned before stores had a version of this kind. */
function makeOldStore(file: string): void {
  const db = new DatabaseSync(file);
  db.exec(`CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
    CREATE TABLE cursor (pen TEXT PRIMARY KEY, seq INTEGER, hash TEXT) WITHOUT ROWID;
    CREATE TABLE entry (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
    INSERT INTO meta VALUES ('made_by', 'x'); INSERT INTO cursor VALUES ('run', 7, 'h')`);
  db.close();
}

const all = (rows: Rows): [string, unknown][] => [...rows.each('')];

describe('the rows of a fold store', () => {
  it('are those of a map, ordered by code unit, in every range: as written, in a transaction, and read over a file', () => {
    fc.assert(
      fc.property(
        fc.array(anyChange, { maxLength: 30 }),
        fc.array(anyChange, { maxLength: 30 }),
        fc.array(fc.tuple(anyKey, anyRange), { minLength: 1, maxLength: 6 }),
        (first, then, scans) => {
          const model = new Model();
          const file = fresh();
          const owner = FoldStore.open(file, SHAPE);
          for (const [key, value] of first) for (const rows of [owner, model]) rows.put(key, value);
          owner.close();
          const reader = FoldStore.openReadOnly(file, SHAPE);
          const again = FoldStore.open(file, SHAPE);
          for (const [key, value] of then) for (const rows of [reader, model]) rows.put(key, value);
          again.transaction(() => {
            for (const [key, value] of then) {
              again.put(key, value);
              expect(again.get(key)).toEqual(value === null ? undefined : JSON.parse(JSON.stringify(value)));
            }
            for (const [prefix, range] of scans)
              expect([...again.each(prefix, range)]).toEqual(model.each(prefix, range));
          });
          for (const rows of [reader, again]) {
            expect(all(rows)).toEqual(model.each('', {}));
            for (const [prefix, range] of scans)
              expect([...rows.each(prefix, range)]).toEqual(model.each(prefix, range));
            for (const [key] of [...first, ...then])
              expect(rows.get(key)).toEqual(model.each('', {}).find(([k]) => k === key)?.[1]);
            rows.close();
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('have keys that sort as they are, and are read back as they were', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (a, b) => {
        expect(fromStoredKey(toStoredKey(a))).toBe(a);
        const [x, y] = [Buffer.from(toStoredKey(a)), Buffer.from(toStoredKey(b))];
        expect(Math.sign(Buffer.compare(x, y))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it('may change while somebody goes through them', () => {
    const store = FoldStore.open(':memory:', SHAPE);
    for (let at = 0; at < 1000; at += 1) store.put(`k/${String(at).padStart(4, '0')}`, at);
    store.transaction(() => {
      for (const [key, value] of store.each<number>('k/')) store.put(key, value % 2 === 0 ? null : value + 1000);
    });
    expect([...store.each<number>('k/')].map(([, value]) => value)).toEqual(
      Array.from({ length: 500 }, (_, at) => 1000 + 2 * at + 1),
    );
    store.close();
  });

  it('are copies: changing one that was read changes nothing', () => {
    const store = FoldStore.open(':memory:', SHAPE);
    store.transaction(() => {
      store.put('a', { list: [1] });
      store.get<{ list: number[] }>('a')?.list.push(2);
      expect(store.get('a')).toEqual({ list: [1] });
    });
    expect(() => store.put('a', undefined)).toThrow('null removes a row');
    store.close();
  });
});

describe('a fold store', () => {
  it('S1 leaves nothing of a transaction that fails', async () => {
    const store = FoldStore.open(fresh(), SHAPE);
    store.put('a', 1);
    const change = (): void => {
      store.put('a', 2);
      store.put('b', 3);
      store.setCursor('run', { seq: 5, hash: 'h' });
      expect([...store.each('')]).toHaveLength(2);
    };
    const fail = (): never => {
      change();
      throw new Error('no');
    };
    expect(() => store.transaction(fail)).toThrow('no');
    await expect(store.transactionAsync(async () => fail())).rejects.toThrow('no');
    expect([all(store), store.cursor('run').seq]).toEqual([[['a', 1]], 0]);
    store.close();
  });

  it('S2 a reader sees one state of the file, with its own rows on top, until it asks for the next one', () => {
    const file = fresh();
    const owner = FoldStore.open(file, SHAPE);
    owner.put('a', 1);
    owner.setCursor('run', { seq: 1, hash: 'h1' });
    const reader = FoldStore.openReadOnly(file, SHAPE);
    reader.put('b', 'mine');
    owner.put('a', 2);
    owner.setCursor('run', { seq: 2, hash: 'h2' });
    expect([all(reader), reader.cursor('run').seq]).toEqual([
      [
        ['a', 1],
        ['b', 'mine'],
      ],
      1,
    ]);
    owner.close();
    expect(all(reader)).toEqual([
      ['a', 1],
      ['b', 'mine'],
    ]);
    reader.close();
    expect(all(FoldStore.openReadOnly(file, SHAPE))).toEqual([['a', 2]]);
  });

  it('S2 a reader without a file, or with one that is no store, begins with nothing and leaves it as it is', () => {
    const folder = freshFolder();
    mkdirSync(join(folder, 'folder'));
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    writeFileSync(join(folder, 'text'), 'hello');
    for (const name of ['missing', 'folder', 'link', 'pipe', 'text', 'none/at/all']) {
      const reader = FoldStore.openReadOnly(join(folder, name), SHAPE);
      reader.put('a', 1);
      expect([name, all(reader), reader.isOwner]).toEqual([name, [['a', 1]], false]);
      reader.close();
    }
  });

  it.runIf(mayMount)('S2 is read on a read-only mount, where nobody has it open', () => {
    const folder = freshFolder();
    mountSmall(folder);
    try {
      const file = join(folder, 'folds.sqlite');
      const owner = FoldStore.open(file, SHAPE);
      owner.put('a', 1);
      owner.close();
      execFileSync('mount', ['-o', 'remount,ro', folder]);
      const reader = FoldStore.openReadOnly(file, SHAPE);
      reader.put('b', 2);
      expect(all(reader)).toEqual([
        ['a', 1],
        ['b', 2],
      ]);
      reader.close();
    } finally {
      unmount(folder);
    }
  });

  it.runIf(mayMount)('says that the disk is full, and goes on in memory when it is told to', () => {
    const folder = freshFolder();
    mountSmall(folder);
    try {
      const store = FoldStore.open(join(folder, 'folds.sqlite'), SHAPE);
      store.put('a', 1);
      const fill = (): void => {
        for (let at = 0; at < 4000; at += 1) store.put(`b/${at}`, 'x'.repeat(1000));
      };
      expect(() => store.transaction(fill)).toThrow(expect.objectContaining({ code: 'disk-full' }));
      expect(all(store)).toEqual([['a', 1]]);
      store.stopWriting();
      store.transaction(fill);
      expect([all(store).length, store.isOwner]).toEqual([4001, false]);
      store.close();
    } finally {
      unmount(folder);
    }
  });

  it.each([
    ['of another version', (file: string) => FoldStore.open(file, { version: 'a@0' }).close()],
    ['of the time before versions', (file: string) => makeOldStore(file)],
    ['of another program', (file: string) => new DatabaseSync(file).exec('CREATE TABLE meta (name, value)')],
    ['damaged', (file: string) => writeFileSync(file, 'SQLite format 3\0'.padEnd(8192, 'x'))],
    ['no database', (file: string) => writeFileSync(file, 'hello')],
  ])('S3 a file that is %s is recreated', (_, make) => {
    const file = fresh();
    make(file);
    const store = FoldStore.open(file, SHAPE);
    expect([all(store), store.cursor('run').seq]).toEqual([[], 0]);
    store.put('a', 1);
    store.close();
    expect(all(FoldStore.openReadOnly(file, SHAPE))).toEqual([['a', 1]]);
  });

  it('S5 has no byte of what was erased, nor has its log, once nobody reads the state before any more', () => {
    const file = fresh();
    const shape = { version: 'a@1', hasTexts: true };
    const store = FoldStore.open(file, shape);
    store.transaction(() => store.texts?.put('a', 'the rare word quillonbridge'));
    const reader = FoldStore.openReadOnly(file, shape);
    expect([...(reader.texts?.find(['quillonbridge']) ?? [])]).toEqual(['a']);
    const files = (): string => [file, `${file}-wal`].map((each) => readFileSync(each, 'latin1')).join('');
    store.transaction(() => store.texts?.put('a', null));
    reader.close();
    store.transaction(() => store.put('b', 1));
    expect(files()).not.toContain('quillonbridge');
    store.close();
  });

  it('S5 the next writer empties the log that the one before had to leave', () => {
    const file = fresh();
    const shape = { version: 'a@1', hasTexts: true };
    const store = FoldStore.open(file, shape);
    store.transaction(() => store.texts?.put('a', 'the rare word quillonbridge'));
    const reader = FoldStore.openReadOnly(file, shape);
    expect([...(reader.texts?.find(['quillonbridge']) ?? [])]).toEqual(['a']);
    store.transaction(() => store.texts?.put('a', null));
    store.close();
    const next = FoldStore.open(file, shape);
    expect(next.emptyLeftLog()).toBe(false);
    expect(reader.keepsErased).toBe(false);
    reader.texts?.put('a', null);
    expect(reader.keepsErased).toBe(true);
    reader.close();
    expect(next.emptyLeftLog()).toBe(true);
    expect(readFileSync(file, 'latin1') + readFileSync(`${file}-wal`, 'latin1')).not.toContain('quillonbridge');
    next.close();
  });

  it('S3 a row that cannot be read any more is noticed, and a reset begins anew', () => {
    const file = fresh();
    const store = FoldStore.open(file, SHAPE);
    store.put('a', { b: 1 });
    store.close();
    const other = new DatabaseSync(file);
    other.exec(`UPDATE row SET value = '{"b":'`);
    other.close();
    for (const again of [FoldStore.openReadOnly(file, SHAPE), FoldStore.open(file, SHAPE)]) {
      expect(() => again.get('a')).toThrow(StoreDamaged);
      expect(() => all(again)).toThrow(StoreDamaged);
      again.reset();
      expect(all(again)).toEqual([]);
      again.close();
    }
  });

  it('refuses a link and a pipe in place of its file', () => {
    const folder = freshFolder();
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const name of ['link', 'pipe'])
      expect(() => FoldStore.open(join(folder, name), SHAPE)).toThrow(expect.objectContaining({ code: 'unsafe-file' }));
  });

  it('says how far it has read to whoever does not know its version', () => {
    const file = fresh();
    expect(readProgress(file)).toBeNull();
    const store = FoldStore.open(file, { version: 'any' });
    store.setCursor('run', { seq: 7, hash: 'h' });
    store.setNote('passed', 'noon');
    const progress = readProgress(file);
    expect([progress?.read, progress?.note('passed'), progress?.note('other')]).toEqual([
      { run: 7, maintenance: 0 },
      'noon',
      null,
    ]);
    store.close();
    writeFileSync(file, 'hello');
    expect(readProgress(file)).toBeNull();
  });

  it('has notes beside the rows, and tables of the caller in every layer', () => {
    const shape = { version: 't', tables: 'CREATE TABLE item (n INTEGER PRIMARY KEY)' };
    const file = fresh();
    const owner = FoldStore.open(file, shape);
    owner.setNote('passed', { at: 'noon' });
    owner.top.prepare('INSERT INTO item VALUES (?)').run(1);
    owner.close();
    const reader = FoldStore.openReadOnly(file, shape);
    reader.top.prepare('INSERT INTO item VALUES (?)').run(2);
    const items = reader.layers.flatMap((layer) => layer.prepare('SELECT n FROM item').all());
    expect([reader.note('passed'), reader.note('never'), items]).toEqual([{ at: 'noon' }, null, [{ n: 1 }, { n: 2 }]]);
    reader.close();
  });
});
