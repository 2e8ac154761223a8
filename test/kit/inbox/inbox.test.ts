import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { addTask } from '../../../src/kit/inbox/add-task.ts';
import { RefusedClaim } from '../../../src/kit/inbox/claim-task.ts';
import { listRejected } from '../../../src/kit/inbox/list-rejected.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import { TestInbox, testInbox } from '../../support/inbox.ts';

const drop = (test: TestInbox, name: string, text: string, mtime = 1_000_000): void => {
  writeFileSync(test.at(name), text);
  utimesSync(test.at(name), mtime, mtime);
};

describe('a task', () => {
  it('is a markdown file; its fields, title, body, bytes and hash are handed out', async () => {
    await using test = await testInbox();
    const text = '---\npriority: 3\naccept:\n  - out.txt exists\n---\n# Sum up\n\nWrite it.\n';
    drop(test, 'sum up.md', text);
    await test.settle();
    const [claimed] = await test.takeAll();
    expect(claimed).toMatchObject({
      name: 'sum up.md',
      task: { priority: 3, accept: ['out.txt exists'] },
      title: 'Sum up',
      body: '# Sum up\n\nWrite it.\n',
      known: false,
      by: 'inbox',
      files: [],
      folder: null,
    });
    expect(claimed?.id).toMatch(/^sum-up-[0-9a-f]{8}$/);
    expect(claimed?.bytes.toString()).toBe(text);
    expect(test.ls()).toEqual(['.claimed', '.new']);
  });

  it('is a text file, or markdown without front matter, called by its file name', async () => {
    await using test = await testInbox();
    drop(test, 'a.txt', 'do it\n');
    drop(test, 'b.MD', '\uFEFFand this\r\n');
    await test.settle();
    expect((await test.takeAll()).map(({ title, body }) => [title, body])).toEqual([
      ['a', 'do it\n'],
      ['b', 'and this\n'],
    ]);
  });

  it('is a folder with TASK.md and its files, also one named like a file', async () => {
    await using test = await testInbox();
    for (const folder of ['job', 'named.md']) {
      mkdirSync(test.at(folder, 'data'), { recursive: true });
      writeFileSync(test.at(folder, 'data', 'a.csv'), 'x\n', { mode: 0o755 });
      writeFileSync(test.at(folder, '.DS_Store'), 'litter');
      writeFileSync(test.at(folder, 'TASK.md'), 'Count.\n');
    }
    await test.settle(10_000);
    const [first, second] = [await test.inbox.take(), await test.inbox.take()];
    expect([first?.title, second?.title]).toEqual(['job', 'named']);
    expect(first?.files).toMatchObject([{ path: 'data/a.csv', bytes: 2, executable: true }]);
    expect(readFileSync(join(first?.folder ?? '', 'data/a.csv'), 'utf8')).toBe('x\n');
  });

  it('has the title of its first heading that is not in a block of code', async () => {
    await using test = await testInbox();
    drop(test, 'a.md', '```sh\n# no\n```\n\n## Yes  \n# Later\n');
    await test.settle();
    expect((await test.takeAll())[0]?.title).toBe('Yes');
  });
});

describe('what other programs leave in a task', () => {
  it('properties of note-taking programs are ignored and noted', async () => {
    await using test = await testInbox();
    drop(test, 'a.md', '---\naliases: [b]\ncreated: 2026-01-01\ncssclasses: wide\npriority: 2\n---\nGo.\n');
    await test.settle();
    const [claimed] = await test.takeAll();
    expect(claimed?.task).toEqual({ priority: 2 });
    expect(claimed?.notes).toEqual([expect.stringMatching(/ignored: aliases, created, cssclasses$/)]);
  });

  it('a carriage return alone ends a line', async () => {
    await using test = await testInbox();
    drop(test, 'a.md', '---\rpriority: 2\r---\r# Old\r\rGo.\r');
    await test.settle();
    expect(await test.takeAll()).toMatchObject([{ task: { priority: 2 }, title: 'Old', body: '# Old\n\nGo.\n' }]);
  });

  it.each(['task.md', 'Task.md', 'TASK.MD'])('a folder with %s is a task; its files keep their times', async (name) => {
    await using test = await testInbox();
    mkdirSync(test.at('job'));
    writeFileSync(test.at('job', name), 'Go.\n');
    writeFileSync(test.at('job', 'data'), 'x');
    utimesSync(test.at('job', 'data'), 1234, 1234);
    await test.settle(10_000);
    expect(await test.takeAll()).toMatchObject([{ body: 'Go.\n', files: [{ path: 'data', mtimeMs: 1_234_000 }] }]);
  });

  it('a folder with symbolic links is taken with those that stay inside, and a list of those left out', async () => {
    await using test = await testInbox();
    mkdirSync(test.at('job', 'a', 'b'), { recursive: true });
    writeFileSync(test.at('job', 'TASK.md'), 'Go.\n');
    writeFileSync(test.at('job', 'data'), 'x');
    const inside = { one: 'data', 'a/b/up': '../../data', 'a/folder': 'b', 'a/here': '.', dangling: 'not/there' };
    const outside = {
      abs: '/etc/passwd',
      up: '../x',
      'a/b/far': '../../../x',
      'a/tricky': 'folder/../../../x',
      z: '..',
    };
    for (const [path, target] of Object.entries({ ...inside, ...outside })) symlinkSync(target, test.at('job', path));
    await test.settle(10_000);
    const [claimed] = await test.takeAll();
    expect(Object.fromEntries(claimed?.links.map(({ path, target }) => [path, target]) ?? [])).toEqual(inside);
    expect(claimed?.files.map(({ path }) => path)).toEqual(['data']);
    expect(claimed?.notes).toEqual([expect.stringMatching(/left out: a\/b\/far, a\/tricky, abs, up, z$/)]);
  });

  it('two files that could be TASK.md are refused, unless one has exactly this name', async () => {
    await using test = await testInbox();
    for (const [folder, names] of Object.entries({ a: ['task.md', 'Task.md'], b: ['task.md', 'TASK.md'] })) {
      mkdirSync(test.at(folder));
      for (const name of names) writeFileSync(test.at(folder, name), `Do ${name}.\n`);
    }
    await test.settle(10_000);
    expect(await test.takeAll()).toMatchObject([{ name: 'b', body: 'Do TASK.md.\n', files: [{ path: 'task.md' }] }]);
    expect(test.rejected).toMatchObject([{ name: 'a', reason: expect.stringContaining('call the one that counts') }]);
  });
});

describe('conflict copies of sync programs', () => {
  it.each([
    "pay (Anna's conflicted copy 2026-11-02).md",
    'pay (conflicted copy 2026-11-02 101500).md',
    'pay (Case Conflict 1).md',
    'pay.sync-conflict-20261102-101500-ABCDEFG.md',
    'pay_conflict-20261102-101500.md',
    'pay-DESKTOP-4F7GH2K.md',
    'pay (SFConflict anna@example.org 2026-11-02).md',
  ])('%s is held back, also without the original', async (name) => {
    await using test = await testInbox();
    drop(test, name, 'Pay it.\n');
    await test.settle();
    expect(await test.takeAll()).toEqual([]);
    expect(test.rejected).toMatchObject([
      { name, reason: expect.stringMatching(/conflict copy.* pay\.md has changed/) },
    ]);
  });

  it.each(['pay 2.md', 'pay (1).md', 'pay-ANNAS-PC.md', 'pay-Annas-MacBook-Pro.md'])(
    '%s is held back beside pay.md, after it, and when it has its content; alone it is a task',
    async (name) => {
      await using test = await testInbox();
      drop(test, name, 'Pay another.\n');
      await test.settle();
      expect(await test.takeAll()).toMatchObject([{ name }]);
      for (const each of ['pay.md', name]) drop(test, each, `Pay it.\n${each}`);
      await test.settle();
      expect((await test.takeAll()).map((each) => each.name)).toEqual(['pay.md']);
      drop(test, name, 'Pay it again.\n');
      await test.settle();
      expect(await test.takeAll()).toEqual([]);
      await test.inbox.close();
      await test.open();
      drop(test, name, 'Pay it.\npay.md');
      await test.settle();
      expect(await test.takeAll()).toEqual([]);
      expect(test.rejected).toHaveLength(3);
    },
  );

  it('what was added by command is a task under any name', async () => {
    await using test = await testInbox();
    writeFileSync(join(test.home, 'pay (1).md'), 'Pay it.\n');
    drop(test, 'pay.md', 'Pay.\n');
    addTask(test.dir, { path: join(test.home, 'pay (1).md') });
    await test.settle();
    expect(await test.takeAll()).toHaveLength(2);
  });
});

describe('delivery', () => {
  it('waits until a file has not changed for the time to settle', async () => {
    await using test = await testInbox();
    drop(test, 'a.md', 'one');
    await test.settle(1999);
    expect(await test.inbox.take()).toBeNull();
    drop(test, 'a.md', 'one two');
    test.now += 1;
    await test.inbox.rescan();
    expect(await test.inbox.take()).toBeNull();
    test.now += 2000;
    await test.inbox.rescan();
    expect((await test.takeAll())[0]?.body).toBe('one two');
  });

  it('waits for every file of a folder', async () => {
    await using test = await testInbox();
    mkdirSync(test.at('job', 'deep'), { recursive: true });
    writeFileSync(test.at('job', 'TASK.md'), 'Go.');
    writeFileSync(test.at('job', 'deep', 'big'), '1');
    await test.settle(9000);
    writeFileSync(test.at('job', 'deep', 'big'), '12');
    await test.settle(9000);
    expect(await test.inbox.take()).toBeNull();
    await test.settle(1000);
    expect((await test.takeAll())[0]?.files).toMatchObject([{ path: 'deep/big', bytes: 2 }]);
  });

  it('waits for the closing line of front matter, with more patience', async () => {
    await using test = await testInbox();
    drop(test, 'a.md', '---\ntitle: half');
    await test.settle(30_000);
    expect([await test.inbox.take(), test.rejected]).toEqual([null, []]);
    drop(test, 'a.md', '---\ntitle: whole\n---\n');
    await test.settle();
    expect((await test.takeAll())[0]?.title).toBe('whole');
    drop(test, 'b.md', '---\ntitle: half');
    await test.settle(60_000);
    expect(test.rejected).toMatchObject([{ name: 'b.md', reason: expect.stringMatching(/not closed/) }]);
  });

  it('does not take what has changed since it was found ready', async () => {
    await using test = await testInbox();
    drop(test, 'a.md', 'one');
    await test.settle();
    drop(test, 'a.md', 'one more');
    expect(await test.inbox.take()).toBeNull();
    await test.settle();
    expect((await test.takeAll())[0]?.body).toBe('one more');
  });

  it('is at once for what was added', async () => {
    await using test = await testInbox();
    addTask(test.dir, { text: 'Say hello' });
    await test.inbox.rescan();
    expect(await test.takeAll()).toMatchObject([{ name: 'say-hello.md', title: 'Say hello', by: 'add' }]);
    expect(test.ls('.new')).toEqual([]);
  });
});

describe('order', () => {
  it('is priority, then arrival, then name', async () => {
    await using test = await testInbox();
    drop(test, 'c.md', 'c', 100);
    drop(test, 'b.md', 'b', 200);
    drop(test, 'a.md', 'a', 200);
    drop(test, 'z.md', '---\npriority: 5\n---\nz', 300);
    drop(test, 'l.md', '---\npriority: -1\n---\nl', 50);
    await test.settle();
    expect((await test.takeAll()).map(({ name }) => name)).toEqual(['z.md', 'c.md', 'a.md', 'b.md', 'l.md']);
  });

  it('is respected by what arrives while others wait', async () => {
    await using test = await testInbox();
    for (const name of ['a.md', 'b.md']) drop(test, name, name);
    await test.settle();
    expect((await test.inbox.take())?.name).toBe('a.md');
    drop(test, 'urgent.md', '---\npriority: 9\n---\nnow');
    await test.settle();
    expect((await test.takeAll()).map(({ name }) => name)).toEqual(['urgent.md', 'b.md']);
  });
});

describe('claims', () => {
  it('the same file at two homes of a fleet is two tasks', async () => {
    const ids: string[] = [];
    for (const home of ['left', 'right', 'left']) {
      await using test = await testInbox({ home });
      drop(test, 'a.md', 'same');
      await test.settle();
      ids.push(...(await test.takeAll()).map(({ id }) => id));
    }
    expect(ids[1]).not.toBe(ids[0]);
    expect(ids[2]).toBe(ids[0]);
  });

  it('two identical files are two tasks; the same id is one, also when it comes again', async () => {
    await using test = await testInbox();
    for (const name of ['a.md', 'A.md', 'a.txt']) drop(test, name, 'same');
    for (const name of ['x.md', 'y.md']) drop(test, name, '---\nid: weekly\n---\nsame');
    await test.settle();
    const ids = (await test.takeAll()).map(({ id }) => id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
    test.now += 60_000;
    drop(test, 'again.md', '---\nid: weekly\n---\nsame');
    drop(test, 'a.md', 'same');
    await test.settle();
    expect((await test.takeAll()).map(({ id }) => ids.includes(id))).toEqual([false]);
    expect(test.rejected.map(({ name }) => name)).toEqual(['y.md', 'again.md']);
    expect(test.rejected[0]?.reason).toMatch(/id "weekly" was accepted before/);
  });

  it.each([false, true])('I3 one left by a crash is handed out again; the ledger knows it: %s', async (known) => {
    await using test = await testInbox();
    drop(test, 'a.md', 'first');
    drop(test, 'b.md', 'second');
    await test.settle();
    const before = await test.inbox.take();
    await test.inbox.close();
    if (known) test.known.add(before?.id ?? '');
    await test.open();
    expect(await test.inbox.take()).toEqual({ ...before, known });
    await test.settle();
    expect((await test.takeAll()).map(({ name }) => name)).toEqual(['b.md']);
  });

  it('I3 one that was taken and not named yet is named and handed out', async () => {
    await using test = new TestInbox();
    mkdirSync(test.at('.claimed', '.taking-1'), { recursive: true });
    mkdirSync(test.at('.claimed', '.taking-2'), { recursive: true });
    mkdirSync(test.at('.claimed', '.finished-3'), { recursive: true });
    writeFileSync(test.at('.claimed', '.taking-1', 'a.md'), 'half way');
    writeFileSync(test.at('.claimed', '.finished-3', 'b.md'), 'over');
    await test.open();
    expect(await test.inbox.take()).toMatchObject({ name: 'a.md', body: 'half way', known: false });
    expect(await test.inbox.take()).toBeNull();
    await expect.poll(() => test.ls('.claimed')).toHaveLength(1);
  });

  it('what is claimed and turns out to be broken is rejected, unless the ledger has it', async () => {
    await using test = new TestInbox();
    for (const id of ['lost', 'kept']) {
      mkdirSync(test.at('.claimed', id), { recursive: true });
      writeFileSync(test.at('.claimed', id, 'a.md'), '');
    }
    test.known.add('kept');
    await test.open();
    expect(await test.inbox.take()).toBeNull();
    expect(test.rejected.map(({ name, kept }) => [name, kept])).toEqual([['a.md', 'a.md']]);
    expect(test.ls('.claimed')).toEqual([]);
  });

  it('one that is put back is the next to be handed out', async () => {
    await using test = await testInbox();
    for (const name of ['a.md', 'b.md']) drop(test, name, name);
    await test.settle();
    const first = await test.inbox.take();
    test.inbox.putBack(first ?? { id: '' });
    expect(await test.inbox.next()).toEqual(first);
    expect((await test.inbox.next())?.name).toBe('b.md');
  });

  it('one that is held up lets others pass, comes again after a moment, and at once when another was accepted', async () => {
    await using test = await testInbox();
    for (const name of ['a.md', 'b.md', 'c.md']) drop(test, name, name);
    await test.settle();
    const [first, second] = [await test.inbox.take(), await test.inbox.take()];
    if (first === null || second === null) throw new Error('two tasks are ready');
    for (const each of [first, second]) test.inbox.holdUp(each);
    const third = await test.inbox.take();
    expect([third?.name, await test.inbox.take(), test.inbox.pending()]).toEqual(['c.md', null, 2]);
    test.inbox.finish(third ?? { id: '' });
    expect(await test.inbox.take()).toEqual(first);
    test.inbox.holdUp(first);
    expect(await test.inbox.take()).toBeNull();
    await expect.poll(async () => (await test.inbox.take())?.name, { timeout: 30_000 }).toBe('b.md');
  });

  it('one that is refused is moved aside with the reason, and its corrected file is another task at once', async () => {
    await using test = await testInbox();
    drop(test, 'a.md', '---\nid: report\n---\nCount the apples.');
    await test.settle();
    const first = await test.inbox.take();
    if (first === null) throw new Error('a task is ready');
    await test.inbox.refuse(first, new RefusedClaim('it is used elsewhere', test.at('.claimed', 'report', 'a.md')));
    expect(test.rejected).toMatchObject([{ name: 'a.md', kept: 'a.md', reason: 'it is used elsewhere' }]);
    expect([test.ls('rejected'), test.ls('.claimed')]).toEqual([['a.md', 'a.md.reason.md'], []]);
    drop(test, 'a.md', '---\nid: other\n---\nCount the apples.');
    await test.settle();
    expect(await test.inbox.take()).toMatchObject({ id: 'other', notes: [] });
    expect(test.rejected).toHaveLength(1);
  });

  it('I3 one that fails halfway is resumed by the next scan, and the problem is reported once', async () => {
    let isReadable = false;
    const isKnown = (): boolean => {
      if (isReadable) return false;
      throw new OkaError('not-permitted', 'the outbox is not readable');
    };
    await using test = await testInbox({ isKnown });
    drop(test, 'a.md', 'x');
    for (const _ of [1, 2, 3]) {
      await test.settle();
      expect(await test.inbox.take()).toBeNull();
    }
    expect(test.troubles).toEqual(['the outbox is not readable']);
    isReadable = true;
    await test.settle();
    expect(await test.takeAll()).toMatchObject([{ name: 'a.md' }]);
    expect([test.claims(), test.rejected]).toEqual([[], []]);
  });

  it('I3 a scan after a failure leaves alone what is being worked on', async () => {
    let fails = false;
    const isKnown = (): boolean => {
      if (fails) throw new OkaError('not-permitted', 'the outbox is not readable');
      return false;
    };
    await using test = await testInbox({ isKnown });
    for (const name of ['a.md', 'b.md']) drop(test, name, name);
    await test.settle();
    const first = await test.inbox.take();
    fails = true;
    expect(await test.inbox.take()).toBeNull();
    fails = false;
    await test.settle();
    expect((await test.takeAll()).map(({ name }) => name)).toEqual(['b.md']);
    expect(test.claims()).toEqual([first?.id]);
  });

  it('thousands that a crash left over, finished, empty or with a result, are removed without being tasks', async () => {
    await using test = new TestInbox({ hasResult: (id) => id.startsWith('told-') });
    for (let i = 0; i < 2000; i++)
      for (const name of [`.finished-${i}`, `.taking-${i}`, `told-${i}`])
        mkdirSync(test.at('.claimed', name), { recursive: true });
    for (let i = 0; i < 2000; i++) writeFileSync(test.at('.claimed', `told-${i}`, 'a.md'), 'over');
    drop(test, 'b.md', 'next');
    await test.open();
    await test.settle();
    expect(await test.takeAll()).toMatchObject([{ name: 'b.md' }]);
    await test.settle(60_000);
    await expect.poll(() => test.ls('.claimed')).toEqual([]);
    expect([test.rejected, test.troubles]).toEqual([[], []]);
  });

  it('across mounts there is none: the task stays where it is, and the problem is reported once', async () => {
    let mounted = false;
    const rename = (from: string | Buffer, to: string | Buffer): void => {
      if (!mounted) throw Object.assign(new Error('cross-device link'), { code: 'EXDEV' });
      renameSync(from, to);
    };
    await using test = await testInbox({ rename });
    drop(test, 'a.md', 'x');
    for (const _ of [1, 2, 3]) {
      await test.settle();
      expect(await test.inbox.take()).toBeNull();
    }
    expect(test.troubles).toEqual([expect.stringMatching(/spans several mounts/)]);
    expect(existsSync(test.at('a.md'))).toBe(true);
    mounted = true;
    await test.settle();
    expect(await test.takeAll()).toHaveLength(1);
  });
});

describe('what is not a task', () => {
  it('lies in a visible folder, is listed with its reason, and is a task once it is corrected and moved back', async () => {
    await using test = await testInbox();
    drop(test, 'a.md', '---\npriority: high\n---\nGo.\n');
    await test.settle();
    const { total, entries } = listRejected(test.dir, 10);
    expect([total, entries]).toEqual([1, [{ name: 'a.md', reason: expect.stringContaining('"priority"') }]]);
    drop(test, 'rejected/a.md', 'Go.\n');
    renameSync(test.at('rejected', 'a.md'), test.at('a.md'));
    expect(listRejected(test.dir, 10)).toEqual({ total: 0, entries: [] });
    await test.settle();
    expect(await test.takeAll()).toMatchObject([{ name: 'a.md', body: 'Go.\n' }]);
  });

  it('and was put into a hidden folder by an earlier version becomes visible', async () => {
    await using test = new TestInbox();
    mkdirSync(test.at('.rejected'));
    for (const name of ['a.md', 'a.md.reason.md']) writeFileSync(test.at('.rejected', name), '# a\n\nwhy\n\nmore\n');
    await test.open();
    expect(listRejected(test.dir, 10)).toEqual({ total: 1, entries: [{ name: 'a.md', reason: 'why' }] });
    expect(test.ls()).toEqual(['.claimed', '.new', 'rejected']);
  });
});

describe('watching', () => {
  it('next waits for a task that is dropped, and for one that is added', async () => {
    await using test = await testInbox({ settleMs: 50, clock: Date.now });
    await sleep(200);
    const first = test.inbox.next();
    drop(test, 'a.md', 'x');
    expect((await first)?.name).toBe('a.md');
    const second = test.inbox.next();
    addTask(test.dir, { text: 'hello' });
    expect((await second)?.name).toBe('hello.md');
  });

  it('next ends when the inbox is closed or its signal is', async () => {
    await using test = await testInbox();
    const abort = new AbortController();
    const [aborted, closed] = [test.inbox.next(abort.signal), test.inbox.next()];
    abort.abort();
    expect(await aborted).toBeNull();
    await test.inbox.close();
    expect(await closed).toBeNull();
    expect(await test.inbox.take()).toBeNull();
  });

  it('I5 a folder that is replaced is noticed and watched again', async () => {
    await using test = await testInbox({ settleMs: 50, rescanMs: 100, clock: Date.now });
    rmSync(test.dir, { recursive: true });
    await test.inbox.rescan();
    await test.inbox.rescan();
    expect(test.troubles).toEqual([expect.stringMatching(/does not exist/)]);
    mkdirSync(test.dir);
    await test.inbox.rescan();
    drop(test, 'a.md', 'x');
    expect((await test.inbox.next())?.name).toBe('a.md');
    renameSync(test.dir, `${test.dir}-old`);
    mkdirSync(test.dir);
    drop(test, 'b.md', 'x');
    expect((await test.inbox.next())?.name).toBe('b.md');
    expect(test.troubles.at(-1)).toMatch(/was replaced/);
  });

  it('pending counts what waits, settled or not', async () => {
    await using test = await testInbox();
    for (const name of ['a.md', 'b.md', '.hidden.md', 'c.md~']) drop(test, name, 'x');
    await test.inbox.rescan();
    expect(test.inbox.pending()).toBe(2);
  });
});

describe('adding', () => {
  it('brings text with fields, a file, and a folder, whole', async () => {
    await using test = await testInbox();
    writeFileSync(join(test.home, 'plan.md'), '# The plan\n');
    mkdirSync(join(test.home, 'job', 'in'), { recursive: true });
    writeFileSync(join(test.home, 'job', 'TASK.md'), '---\npriority: -5\n---\nCount.');
    writeFileSync(join(test.home, 'job', 'in', 'data'), 'x', { mode: 0o755 });
    addTask(test.dir, { text: 'Ünïcode: "quoted"\nmore', fields: { priority: 7, accept: ['a: b'] } });
    expect(addTask(test.dir, { path: join(test.home, 'plan.md') })).toEqual({ name: 'plan.md', title: 'The plan' });
    addTask(test.dir, { path: join(test.home, 'job') });
    await test.inbox.rescan();
    expect(await test.takeAll()).toMatchObject([
      { title: 'Ünïcode: "quoted"', task: { priority: 7, accept: ['a: b'] }, body: 'Ünïcode: "quoted"\nmore\n' },
      { name: 'plan.md' },
      { name: 'job', files: [{ path: 'in/data', executable: true }] },
    ]);
  });

  it.each<[string, (home: string) => Parameters<typeof addTask>[1], RegExp]>([
    ['nothing', () => ({ text: ' ' }), /white space/],
    ['a file that is not there', (home) => ({ path: join(home, 'no.md') }), /does not exist/],
    ['a wrong field', () => ({ text: '---\npriority: high\n---\nx' }), /"priority"/],
    ['a folder without TASK.md', (home) => ({ path: home }), /contains no TASK.md/],
  ])('refuses %s with what is wrong, and leaves nothing', async (_, addition, reason) => {
    await using test = await testInbox();
    expect(() => addTask(test.dir, addition(test.home))).toThrow(OkaError);
    expect(() => addTask(test.dir, addition(test.home))).toThrow(reason);
    expect(test.ls('.new')).toEqual([]);
  });
});
