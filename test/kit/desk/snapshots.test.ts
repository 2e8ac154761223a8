import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Step } from '../../../src/kit/desk/plan-undo.ts';
import { type Pruned, pruneSnapshots } from '../../../src/kit/desk/prune-snapshots.ts';
import { snapshotDesk } from '../../../src/kit/desk/take-snapshot.ts';
import { Objects } from '../../../src/kit/desk/object-store.ts';
import { TestDesk } from '../../support/desk.ts';

describe('keeping', () => {
  it('the same desk is the same tree, and nothing is written for it', async () => {
    using desk = new TestDesk({ 'a.txt': 'a', 'd/e': null });
    const first = await desk.shadow.snapshot('first');
    const objects = readdirSync(desk.store, { recursive: true }).length;
    expect(await desk.shadow.snapshot('again')).toEqual(first);
    desk.shadow.close();
    expect(await desk.reopened().snapshot('again')).toEqual(first);
    rmSync(join(desk.store, 'seen.json'));
    expect(readdirSync(desk.store, { recursive: true })).toHaveLength(objects);
  });

  it('S2 a change is seen when size and times are as before', async () => {
    using desk = new TestDesk({ 'a.txt': 'one' });
    utimesSync(desk.at('a.txt'), 1000, 1000);
    const first = await desk.shadow.snapshot('first');
    writeFileSync(desk.at('a.txt'), 'two');
    utimesSync(desk.at('a.txt'), 1000, 1000);
    expect((await desk.shadow.snapshot('second')).tree).not.toBe(first.tree);
  });

  it('S1 git reads what is kept: hidden and ignored files, repositories inside, links, modes', async () => {
    using desk = new TestDesk({
      '.gitignore': '*\n',
      'repo/.git/config': '[core]\n\thooksPath = .\n\tfsmonitor = "touch ran"\n',
      'repo/.gitattributes': '* filter=evil text eol=crlf\n',
      'repo/secret.env': 'X=1\n',
      'run.sh': { text: '#!/bin/sh\n', mode: 0o755 },
      away: { link: '/etc/passwd' },
      'with\nbreak é': 'x',
    });
    const { tree, skipped } = await desk.shadow.snapshot('first');
    expect(skipped).toEqual([]);
    const git = (...args: string[]): string =>
      spawnSync('git', ['--git-dir', desk.store, ...args], { encoding: 'utf8' }).stdout;
    expect(git('ls-tree', '-r', '-z', '--name-only', tree).split('\0').filter(Boolean).toSorted()).toEqual([
      '.gitignore',
      'away',
      'repo/.git/config',
      'repo/.gitattributes',
      'repo/secret.env',
      'run.sh',
      'with\nbreak é',
    ]);
    expect(git('show', `${tree}:repo/secret.env`)).toBe('X=1\n');
    expect(git('show', `${tree}:away`)).toBe('/etc/passwd');
  });

  it('S3 what is too large is named, and pipes are left alone', async () => {
    using desk = new TestDesk({ 'big.bin': 'x', 'small.txt': 'x' }, { mostFileBytes: 1000 });
    truncateSync(desk.at('big.bin'), 1e10);
    spawnSync('mkfifo', [desk.at('pipe')]);
    expect((await desk.shadow.snapshot('first')).skipped).toEqual(['big.bin']);
  });

  it('S3 one state brings no more into the store than it may', async () => {
    const files = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`f${i}`, String(i).repeat(1000)]));
    using desk = new TestDesk(files, { mostNewBytes: 5000 });
    expect((await desk.shadow.snapshot('first')).skipped.length).toBeGreaterThan(4);
    expect((await desk.shadow.snapshot('second')).skipped.length).toBeLessThan(5);
  });

  it('a store that was removed is begun anew', async () => {
    using desk = new TestDesk({ 'a.txt': 'a' });
    const first = await desk.shadow.snapshot('first');
    rmSync(desk.store, { recursive: true });
    expect(await desk.shadow.snapshot('again')).toEqual(first);
    const step = await desk.step(() => desk.remove('a.txt'));
    await desk.shadow.undo([step], 'undo');
    expect(desk.read('a.txt')).toBe('a');
  });
});

describe('the snapshot of a place', () => {
  it('has what is in the place and nothing else, and is undone there alone', async () => {
    using desk = new TestDesk({ 'a/own.txt': 'old', 'a/b/deep.txt': 'old', 'other/theirs.txt': 'old' });
    const place = ['a/b', 'new'];
    const { tree: before } = await desk.shadow.snapshot('before', { place });
    desk.put({ 'a/b/deep.txt': 'new', 'new/made.txt': 'new', 'a/own.txt': 'new', 'other/theirs.txt': 'new' });
    const { tree: after } = await desk.shadow.snapshot('after', { place });
    expect([...desk.shadow.filesIn(after).keys()]).toEqual(['a/b/deep.txt', 'new/made.txt']);
    expect(desk.shadow.changes([{ before, after }])).toMatchObject({
      created: ['new/made.txt'],
      changed: ['a/b/deep.txt'],
    });
    await desk.shadow.undo([{ before, after }], 'undo', place);
    expect(['a/own.txt', 'a/b/deep.txt', 'other/theirs.txt'].map((path) => desk.read(path))).toEqual([
      'new',
      'old',
      'new',
    ]);
    expect(Object.keys(desk.state()).some((path) => path.startsWith('new'))).toBe(false);
  });

  it('over a snapshot of the desk it is the desk as it was there', async () => {
    using desk = new TestDesk({ 'a/b.txt': 'then', 'c.txt': 'then', 'gone/x.txt': 'then' });
    const place = ['a', 'gone', 'later/deep'];
    const then = await desk.shadow.snapshot('then', { place });
    desk.remove('gone/x.txt');
    desk.put({ 'a/b.txt': 'now', 'c.txt': 'now', 'later/deep/y.txt': 'now', 'later/z.txt': 'now' });
    const now = await desk.shadow.snapshot('now');
    const found = desk.shadow.filesIn(await desk.shadow.overlay(now.tree, then.tree, place));
    expect([...found.keys()].toSorted()).toEqual(['a/b.txt', 'c.txt', 'gone/x.txt', 'later/z.txt']);
    expect(found.get('a/b.txt')).toBe(desk.shadow.filesIn(then.tree).get('a/b.txt'));
  });

  it('two at the same time do not disturb each other', async () => {
    using desk = new TestDesk({ 'a/x.txt': 'a', 'b/y.txt': 'b' });
    const places = Array.from({ length: 20 }, (_, at) => [at % 2 === 0 ? 'a' : 'b']);
    const taken = await Promise.all(places.map((place) => desk.shadow.snapshot('at once', { place })));
    expect(new Set(taken.map(({ tree }) => tree)).size).toBe(2);
  });
});

describe('pruning', () => {
  it('removes states that are too old, keeps the newest, and what is kept stays whole', async () => {
    let now = 0;
    using desk = new TestDesk({ 'a.txt': 'first' }, { keepMs: 1000, clock: () => now });
    const old = await desk.step(() => desk.put({ 'a.txt': 'second' }));
    now = 500;
    const young = await desk.step(() => desk.put({ 'a.txt': 'third' }));
    now = 1200;
    expect(await desk.shadow.prune()).toMatchObject({ states: 2 });
    now = 10_000;
    expect(await desk.shadow.prune()).toMatchObject({ states: 0 });
    await expect(desk.shadow.undo([old], 'undo')).rejects.toThrow(/no longer stored/);
    await expect(desk.shadow.undo([young], 'undo')).rejects.toThrow(/no longer stored/);
    const step = await desk.step(() => desk.remove('a.txt'));
    await desk.shadow.undo([step], 'undo');
    expect(desk.read('a.txt')).toBe('third');
  });

  it('what is written while states are read stays whole, also what only an old state had', async () => {
    let now = 0;
    using desk = new TestDesk({ 'a.txt': 'first' }, { keepMs: 1000, clock: () => now });
    await desk.step(() => desk.put({ 'a.txt': 'second' }));
    now = 10_000;
    await desk.step(() => desk.put({ 'a.txt': 'third' }));
    await desk.step(() => desk.put({ 'a.txt': 'fourth' }));
    const steps: Step[] = [];
    const breathe = async (): Promise<boolean> => {
      if (steps.length === 0) steps.push(await desk.step(() => desk.put({ 'a.txt': 'first', 'b.txt': 'new' })));
      return true;
    };
    const alone = (remove: () => Pruned): Promise<Pruned> => Promise.resolve(remove());
    const limits = { keepMs: 1000, mostBytes: 1e9 };
    const pruned = await pruneSnapshots(new Objects(desk.store), now, limits, { breathe, alone });
    expect(pruned.states).toBeGreaterThan(0);
    const copy = join(desk.home, 'copy');
    mkdirSync(copy);
    expect(desk.shadow.copyTo(steps[0]?.after ?? '', copy)).toEqual([]);
    expect(readdirSync(copy)).toEqual(['a.txt', 'b.txt']);
    await desk.shadow.undo(steps, 'undo');
    expect(desk.read('a.txt')).toBe('fourth');
  });

  it('nothing goes once the store is closed, however far it was', async () => {
    let now = 0;
    using desk = new TestDesk({ 'a.txt': 'first' }, { keepMs: 1000, clock: () => now });
    for (let n = 0; n < 5; n += 1) await desk.step(() => desk.put({ 'a.txt': `${n}` }));
    now = 10_000;
    const pruning = desk.shadow.prune();
    desk.shadow.close();
    expect(await pruning).toEqual({ states: 0, objects: 0 });
    expect(await desk.reopened().prune()).toMatchObject({ states: 5 });
  });

  it('removes the oldest states when all together are too large', async () => {
    using desk = new TestDesk({}, { mostBytes: 30_000, mostNewBytes: 1e9 });
    for (let i = 0; i < 10; i++) await desk.step(() => desk.put({ data: noise(10_000) }));
    const { states } = await desk.shadow.prune();
    expect(states).toBeGreaterThan(6);
    expect(states).toBeLessThan(10);
    const step = await desk.step(() => desk.remove('data'));
    expect((await desk.shadow.undo([step], 'undo')).restored).toEqual(['data']);
  });
});

describe('the store', () => {
  it.each([true, false])(
    'O1 many objects at once are kept, whether they can be flushed together or not: %s',
    async (can) => {
      using desk = new TestDesk(Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`d/f${i}`, `${i}`])));
      const before = desk.state();
      const objects = new Objects(desk.store, async () => can);
      const { tree } = await snapshotDesk(desk.dir, objects, new Map(), { mostFileBytes: 1e6, mostNewBytes: 1e6 });
      expect(new Objects(desk.store).names()).toHaveLength(202);
      const { tree: after } = await desk.shadow.snapshot('after');
      expect(after).toBe(tree);
      const step = await desk.step(() => desk.clear());
      await desk.shadow.undo([step], 'undo');
      expect(desk.state()).toEqual(before);
    },
  );

  it('O2 a damaged object is noticed, and the rest is still restored', async () => {
    using desk = new TestDesk({ 'a.txt': 'a', 'b.txt': 'b' });
    const step = await desk.step(() => desk.remove('a.txt', 'b.txt'));
    const blob = spawnSync('git', ['--git-dir', desk.store, 'rev-parse', `${step.before}:a.txt`], { encoding: 'utf8' });
    const name = blob.stdout.trim();
    const file = join(desk.store, 'objects', name.slice(0, 2), name.slice(2));
    chmodSync(file, 0o644);
    writeFileSync(file, 'rubbish');
    const undone = await desk.shadow.undo([step], 'undo');
    expect(undone.restored).toEqual(['b.txt']);
    expect(undone.overlaps).toMatchObject([{ path: 'a.txt', why: expect.stringMatching(/damaged/) }]);
  });

  it('a desk that is not there is said, not made', async () => {
    using desk = new TestDesk();
    renameSync(desk.dir, `${desk.dir}-moved`);
    await expect(desk.shadow.snapshot('first')).rejects.toThrow(/ENOENT|not there/);
    mkdirSync(desk.dir);
  });
});

function noise(bytes: number): string {
  return Array.from({ length: bytes }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join('');
}
