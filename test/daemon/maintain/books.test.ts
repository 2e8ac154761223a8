import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Books, glimpseOf } from '../../../src/daemon/maintain/books.ts';
import { fromStoredKey as fromKey, toStoredKey as toKey } from '../../../src/ledger/row-keys.ts';
import { bookInMemory } from '../../../src/memory/book.ts';
import { temporaryFolder } from '../../support/cli.ts';

const anyKey = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.array(fc.integer({ min: 0xd7_f0, max: 0xff_ff }), { maxLength: 4 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('a', 'a/', 'a/b', 'a0', '', '\ud7ff', '\uffff', '\ue000', '😀', '\ud83d'),
);

describe('the book', () => {
  it('is like one in memory: the same entries, in the same order, below every prefix', () => {
    const change = fc.tuple(anyKey, fc.oneof(fc.constant(null), fc.jsonValue()));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), fc.array(anyKey, { maxLength: 8 }), (changes, prefixes) => {
        const [books, memory] = [Books.open(':memory:', 'x'), bookInMemory()];
        for (const [key, value] of changes) {
          books.put(key, value);
          memory.put(key, value);
        }
        for (const prefix of ['', ...prefixes]) expect([...books.each(prefix)]).toEqual([...memory.each(prefix)]);
        for (const [key] of changes) expect(books.get(key)).toEqual(memory.get(key));
        books.close();
      }),
      { numRuns: 200 },
    );
  });

  it('spells keys so that they sort by code unit, and back', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (a, b) => {
        expect(fromKey(toKey(a))).toBe(a);
        const [x, y] = [Buffer.from(toKey(a)), Buffer.from(toKey(b))];
        expect(Math.sign(Buffer.compare(x, y))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it('goes through many entries in pieces, and whoever goes through may change them', () => {
    const books = Books.open(':memory:', 'x');
    for (let at = 0; at < 1000; at += 1) books.put(`k/${String(at).padStart(4, '0')}`, at);
    for (const [key, value] of books.each<number>('k/')) books.put(key, value % 2 === 0 ? null : value + 1000);
    expect([...books.each<number>('k/')].map(([, value]) => value)).toEqual(
      Array.from({ length: 500 }, (_, at) => 1000 + 2 * at + 1),
    );
    books.close();
  });

  it('K1 a batch that fails leaves nothing of it', async () => {
    const books = Books.open(':memory:', 'x');
    books.put('a', 1);
    const broken = books.together(async () => {
      books.put('a', 2);
      books.touch('p');
      books.putCursor('run', { seq: 5, hash: 'h' });
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect([books.get('a'), books.touched(), books.cursor('run').seq]).toEqual([1, [], 0]);
    books.close();
  });

  it.each([
    ['of another maker', (file: string) => Books.open(file, 'older').close()],
    ['damaged', (file: string) => writeFileSync(file, 'SQLite format 3\0'.padEnd(8192, 'x'))],
    ['not a book at all', (file: string) => writeFileSync(file, 'hello')],
  ])('K3 a file that is %s is thrown away', (_, make) => {
    using folder = temporaryFolder();
    const file = join(folder.dir, 'books.sqlite');
    make(file);
    const books = Books.open(file, 'x');
    expect([...books.each('')]).toEqual([]);
    books.put('a', 1);
    books.close();
    expect(glimpseOf(file)).toEqual({ read: 0, position: null, passed: null });
  });
});
