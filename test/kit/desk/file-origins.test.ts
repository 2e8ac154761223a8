import { appendFileSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFileOrigins } from '../../../src/kit/desk/file-origins.ts';
import { skippedEntry } from '../../../src/kit/desk/take-snapshot.ts';
import { contentName } from '../../../src/kit/runs/written-instructions.ts';
import { TestDesk } from '../../support/desk.ts';

const named = (text: string) => async (): Promise<string> => contentName(Buffer.from(text));

/** A call that changes the desk, recorded as the desk records it. */
async function act(desk: TestDesk, call: string, change: () => void): Promise<void> {
  const before = (await desk.shadow.snapshot('before')).tree;
  change();
  const after = (await desk.shadow.snapshot('after')).tree;
  desk.shadow.origins.add({ run: 'r', call }, desk.shadow.fileChanges([{ before, after }]));
}

describe('the origins of files', () => {
  it('R1 a file has the call that wrote it, and what was there before has none', async () => {
    using desk = new TestDesk({ 'a.txt': 'mine' });
    await act(desk, 'one', () => desk.put({ 'b.txt': 'b' }));
    expect(await desk.shadow.origins.find('a.txt', named('mine'))).toEqual([]);
    expect(await desk.shadow.origins.find('b.txt', named('b'))).toEqual([{ run: 'r', call: 'one' }]);
  });

  it('R1 origins stay with a file that is changed or moved', async () => {
    using desk = new TestDesk({});
    await act(desk, 'one', () => desk.put({ 'b.txt': 'b' }));
    await act(desk, 'two', () => renameSync(desk.at('b.txt'), desk.at('c.txt')));
    await act(desk, 'three', () => desk.put({ 'c.txt': 'b!' }));
    const calls = (await desk.shadow.origins.find('c.txt', named('b!'))).map(({ call }) => call);
    expect(calls.toSorted()).toEqual(['one', 'three', 'two']);
  });

  it('R1 a file that very many calls have changed is of nobody knows whom', async () => {
    using desk = new TestDesk({});
    for (let n = 0; n < 9; n += 1) await act(desk, `c${n}`, () => desk.put({ 'log.txt': `${n}` }));
    expect(await desk.shadow.origins.find('log.txt', named('8'))).toEqual([{ run: '?', call: '?' }]);
  });

  it('R2 what a person puts there has none', async () => {
    using desk = new TestDesk({});
    await act(desk, 'one', () => desk.put({ 'b.txt': 'b' }));
    desk.put({ 'b.txt': 'my own' });
    expect(await desk.shadow.origins.find('b.txt', named('my own'))).toEqual([]);
  });

  it('R3 they are known to the next process, half a line at the end notwithstanding', async () => {
    using desk = new TestDesk({});
    await act(desk, 'one', () => desk.put({ 'b.txt': 'b' }));
    appendFileSync(join(desk.store, 'origins.jsonl'), '\n{"by":[{"ru');
    await act(desk, 'two', () => desk.put({ 'c.txt': 'c' }));
    const next = openFileOrigins(desk.store);
    expect(await next.find('b.txt', named('b'))).toEqual([{ run: 'r', call: 'one' }]);
    expect(await next.find('c.txt', named('c'))).toEqual([{ run: 'r', call: 'two' }]);
  });

  it('R2 what no state has any more goes when old states go, and what is there stays', async () => {
    let now = Date.now();
    using desk = new TestDesk({}, { clock: () => now });
    const origins = join(desk.store, 'origins.jsonl');
    for (let n = 0; n < 200; n += 1)
      await act(desk, `c${n}`, () => desk.put({ 'last.txt': `${n}`, [`f${n % 2}.txt`]: `${n}` }));
    const before = statSync(origins).size;
    now += 31 * 86_400_000;
    await desk.shadow.prune();
    expect(statSync(origins).size).toBeLessThan(before / 20);
    await act(desk, 'later', () => desk.put({ 'b.txt': 'b' }));
    const next = openFileOrigins(desk.store);
    for (const at of [desk.shadow.origins, next]) {
      expect(await at.find('f1.txt', named('199'))).not.toEqual([]);
      expect(await at.find('f1.txt', named('1'))).toEqual([]);
      expect(await at.find('b.txt', named('b'))).toEqual([{ run: 'r', call: 'later' }]);
    }
  });

  it('R2 what is there stays, though it was too large for a state, or the last state is one of another place', async () => {
    let now = Date.now();
    using desk = new TestDesk({}, { clock: () => now, mostFileBytes: 10 });
    const large = 'x'.repeat(11);
    await act(desk, 'one', () => desk.put({ 'large.txt': large, 'a.txt': 'a', 'gone.txt': large }));
    now += 31 * 86_400_000;
    rmSync(desk.at('gone.txt'));
    await desk.shadow.snapshot('later', { place: ['other'] });
    await desk.shadow.prune();
    const nameOf = (path: string) => async (): Promise<string> => skippedEntry(statSync(desk.at(path))).oid;
    for (const at of [desk.shadow.origins, openFileOrigins(desk.store)]) {
      expect(await at.find('large.txt', nameOf('large.txt'))).toEqual([{ run: 'r', call: 'one' }]);
      expect(await at.find('a.txt', named('a'))).toEqual([{ run: 'r', call: 'one' }]);
    }
    expect(readFileSync(join(desk.store, 'origins.jsonl'), 'utf8')).not.toContain('gone.txt');
  });
});
