/** Everything that can lie in an inbox and is not a task. Nothing is followed, blocked on or run, and the next task goes on. */
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TestInbox, testInbox } from '../support/inbox.ts';
import { scaled, scaledLimit } from '../support/thorough.ts';

const GOOD = 'Do this.\n';
/** Long enough for whatever may still become a task. */
const PATIENCE = 60_000;

/** Puts a good task beside what is to be tried, and expects it alone to be taken. */
async function tried(put: (test: TestInbox) => void | Promise<void>): Promise<TestInbox> {
  const test = await testInbox();
  await put(test);
  writeFileSync(test.at('good.md'), GOOD);
  await test.settle(PATIENCE);
  expect((await test.takeAll()).map(({ name }) => name)).toEqual(['good.md']);
  return test;
}

describe('moved to rejected, with the reason beside it', () => {
  it.each<[string, (test: TestInbox) => unknown, RegExp]>([
    ['a link to a file', (t) => symlinkSync('/etc/passwd', t.at('x.md')), /symbolic link/],
    ['a link to a folder', (t) => symlinkSync('/etc', t.at('x.md')), /symbolic link/],
    ['a link to nothing', (t) => symlinkSync('/nowhere', t.at('x.md')), /symbolic link/],
    ['a pipe', (t) => spawnSync('mkfifo', [t.at('x.md')]), /a pipe/],
    ['a device', (t) => spawnSync('mknod', [t.at('x.md'), 'c', '1', '5']), /a device/],
    ['a socket', (t) => listen(t.at('x.md')), /a socket/],
    ['a hard link', (t) => hardLink(t, 'x.md'), /hard link/],
    ['a folder without TASK.md', (t) => mkdirSync(t.at('x.md')), /no TASK\.md/],
    ['a folder whose TASK.md is a link', (t) => linkedTask(t, 'x.md'), /TASK\.md in it is a symbolic link/],
    ['a folder with a pipe in it', (t) => inFolder(t, (f) => spawnSync('mkfifo', [join(f, 'p')])), /p in it is a pipe/],
    ['a folder with a hard link in it', (t) => inFolder(t, (f) => hardLink(t, 'h', f)), /h in it: .*hard link/],
    ['a folder with a broken name in it', (t) => inFolder(t, brokenName), /a name in it is not plain text/],
    ['a folder that is too deep', (t) => inFolder(t, (f) => deep(f, 30)), /nested more than/],
    ['a folder of too many files', (t) => inFolder(t, (f) => many(f, 1100)), /more than 1000 files/],
    ['a folder of too many bytes', (t) => inFolder(t, (f) => large(join(f, 'b'), 1e9)), /more than 64 MB/],
    ['an empty file', (t) => writeFileSync(t.at('x.md'), ''), /is empty/],
    ['a file of white space', (t) => writeFileSync(t.at('x.md'), ' \n\t\n'), /white space/],
    ['a file with nothing to do', (t) => writeFileSync(t.at('x.md'), '---\npriority: 1\n---\n \n'), /what to do/],
    ['a file of 10 GB', (t) => large(t.at('x.md'), 1e10), /it has 9537 MB; 1 MB are allowed/],
    ['invalid UTF-8', (t) => writeFileSync(t.at('x.md'), Buffer.from([0x61, 0xff, 0xfe])), /UTF-8/],
    ['UTF-16', (t) => writeFileSync(t.at('x.md'), '\uFEFFabc', 'utf16le'), /UTF-8/],
    ['NUL bytes', (t) => writeFileSync(t.at('x.md'), 'a\0b'), /NUL/],
    ['a program', (t) => writeFileSync(t.at('x.sh'), '#!/bin/sh\ntouch ran', { mode: 0o755 }), /\.md or \.txt/],
    ['another kind of file', (t) => writeFileSync(t.at('x.pdf'), '%PDF'), /a folder with a TASK\.md/],
    ['front matter without an end', (t) => writeFileSync(t.at('x.md'), '---\na: 1\n'), /not closed/],
    ['front matter that is code', (t) => writeFileSync(t.at('x.md'), '---js\n{}\n---\nx'), /only plain YAML/],
    ['a blank line above front matter', (t) => writeFileSync(t.at('x.md'), '\n---\naccept: []\n---\nx'), /line 2: /],
    ['fields without a fence', (t) => writeFileSync(t.at('x.md'), 'accept:\n  - "file: a"\n\nx'), /line 1: .*---/],
    ['fields without a first fence', (t) => writeFileSync(t.at('x.md'), '\npriority: 3\n---\nx'), /line 2: .*---/],
    ['a YAML bomb', (t) => writeFileSync(t.at('x.md'), bomb()), /aliases are not read/],
    ['a YAML tag', (t) => writeFileSync(t.at('x.md'), '---\ntitle: !!binary aGk=\n---\nx'), /line 2: Unresolved tag/],
    ['deep YAML', (t) => writeFileSync(t.at('x.md'), `---\nbudget: ${'['.repeat(99)}${']'.repeat(99)}\n---\n`), /deep/],
    ['large YAML', (t) => writeFileSync(t.at('x.md'), `---\ntitle: ${'x'.repeat(70_000)}\n---\n`), /longer than 64 KB/],
    ['a wrong type', (t) => writeFileSync(t.at('x.md'), '---\npriority: high\n---\nx'), /field "priority"/],
    ['a wrong type inside', (t) => writeFileSync(t.at('x.md'), '---\nbudget: {usd: many}\n---\nx'), /"budget\.usd"/],
    ['an unknown field', (t) => writeFileSync(t.at('x.md'), '---\nprioritiy: 1\n---\nx'), /"prioritiy" is not known/],
    ['an unknown field inside', (t) => writeFileSync(t.at('x.md'), '---\nbudget: {eur: 1}\n---\nx'), /"budget\.eur"/],
    ['an id that is a path', (t) => writeFileSync(t.at('x.md'), '---\nid: ../../x\n---\nx'), /field "id"/],
    ['a dir outside', (t) => writeFileSync(t.at('x.md'), '---\ndir: a/../../x\n---\nx'), /field "dir"/],
    ['a dir from the top', (t) => writeFileSync(t.at('x.md'), '---\ndir: /etc\n---\nx'), /field "dir"/],
    ['__proto__', (t) => writeFileSync(t.at('x.md'), '---\n__proto__: {id: x}\n---\nx'), /"__proto__" is not known/],
    ['a line break in the name', (t) => writeFileSync(t.at('x\n.md'), GOOD), /control characters/],
    ['escape codes in the name', (t) => writeFileSync(t.at('x\u001b[2J.md'), GOOD), /control characters/],
    ['turned text in the name', (t) => writeFileSync(t.at('x\u202Edm.md'), GOOD), /control characters/],
    ['a name that is not UTF-8', (t) => brokenName(t.dir), /not valid UTF-8/],
    ['255 bytes of a name that is wrong', (t) => writeFileSync(t.at(`${'é'.repeat(126)}.md`), '\0'), /NUL/],
  ])('%s', async (_, put, reason) => {
    await using test = await tried(async (t) => void (await put(t)));
    expect(test.rejected).toHaveLength(1);
    const [{ kept, reason: told } = { kept: '', reason: '' }] = test.rejected;
    expect(told).toMatch(reason);
    expect(lstatSync(test.at('rejected', kept))).toBeDefined();
    expect(readFileSync(test.at('rejected', `${kept}.reason.md`), 'utf8')).toContain(told);
    expect(kept).toMatch(/^[^\p{Cc}/]+$/u);
    expect(test.ls()).toEqual(['.claimed', '.new', ...(existsSync(test.at('kept')) ? ['kept'] : []), 'rejected']);
    expect(test.troubles).toEqual([]);
  });

  it('but not an unreadable file, which stays and is tried again', async () => {
    await using test = new TestInbox();
    chmodSync(test.home, 0o755);
    writeFileSync(test.at('x.md'), GOOD, { mode: 0 });
    writeFileSync(test.at('good.md'), GOOD);
    const { taken, rejected, problems } = asNobody(test);
    expect([taken, rejected]).toEqual([['good.md'], []]);
    expect(problems).toEqual([expect.stringMatching(/^x\.md: it is not readable .*chmod.*chown/)]);
    chmodSync(test.at('x.md'), 0o644);
    expect(asNobody(test)).toEqual({ taken: ['good.md', 'x.md'], rejected: [], problems: [] });
  });

  it('many of the same name, each under a name of its own', async () => {
    await using test = await testInbox({ patienceMs: 0 });
    for (const _ of [1, 2, 3]) {
      writeFileSync(test.at('x.md'), '');
      await test.settle();
    }
    expect(test.rejected.map(({ kept }) => kept)).toEqual(['x.md', 'x-2.md', 'x-3.md']);
  });
});

describe('ignored', () => {
  it.each([
    '.hidden.md',
    '.a.md.swp',
    'a.md~',
    '#a.md#',
    '.#a.md',
    '4913',
    '~$a.md',
    '.~lock.a.md#',
    'a.md.tmp',
    'a.tmp',
    'a.md.part',
    'a.md.partial',
    'a.md.crdownload',
    'a.md.download',
    'a.md.filepart',
    'a.md.12345.tmp',
    '.DS_Store',
    'Thumbs.db',
    'desktop.ini',
    '.syncthing.a.md.tmp',
    '~syncthing~a.md.tmp',
    '.dropbox',
    '.a.md.Xy12Zw',
    'a.md.sb-1234abcd-Ab12Cd',
    '.goutputstream-AB12CD',
    '.nfs0000000001',
  ])('%s stays where it is', async (name) => {
    await using test = await tried((t) => writeFileSync(t.at(name), GOOD));
    expect(test.rejected).toEqual([]);
    expect(test.ls()).toContain(name);
  });

  it('a transfer into a folder that is not finished is waited for', async () => {
    await using test = await testInbox();
    mkdirSync(test.at('job'));
    writeFileSync(test.at('job', 'TASK.md'), GOOD);
    writeFileSync(test.at('job', 'data.csv.part'), '1');
    await test.settle(PATIENCE - 1);
    expect([await test.inbox.take(), test.rejected]).toEqual([null, []]);
  });
});

describe('taken', () => {
  it('a name of 255 bytes, and names that are hard on tools', async () => {
    await using test = await testInbox();
    const names = [
      `${'x'.repeat(252)}.md`,
      '-rf.md',
      '$(touch ran).md',
      '\'quote".md',
      '日本語.md',
      '%2e%2e.md',
      'con.md',
    ];
    for (const name of names) writeFileSync(test.at(name), GOOD);
    await test.settle();
    const taken = await test.takeAll();
    expect(taken.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    for (const { id } of taken) expect(id).toMatch(/^[a-z0-9][a-z0-9-]*$/);
  });
});

describe('a folder of its own that is not one', () => {
  it.each(['.claimed', 'rejected', '.new'])('%s as a link is not followed, and a person is told', async (name) => {
    await using test = new TestInbox();
    mkdirSync(join(test.home, 'elsewhere'));
    symlinkSync(join(test.home, 'elsewhere'), test.at(name));
    writeFileSync(test.at('bad.md'), '');
    writeFileSync(test.at('good.md'), GOOD);
    await test.open();
    await test.settle(PATIENCE);
    await test.takeAll();
    expect(readdirSync(join(test.home, 'elsewhere'))).toEqual([]);
    expect(test.troubles.join()).toContain('is not a folder of its own');
  });
});

describe('a flood', () => {
  it('5,000 files are taken in order, none twice, in bounded memory', async () => {
    await using test = new TestInbox();
    const names = Array.from({ length: 5000 }, (_, i) => `task-${String(i).padStart(4, '0')}.md`);
    for (const [i, name] of names.entries()) {
      writeFileSync(test.at(name), `---\npriority: ${i % 3}\n---\nNumber ${i % 100}.\n`);
      utimesSync(test.at(name), 1000 + (i % 7), 1000 + (i % 7));
    }
    await test.open();
    await test.settle();
    const taken = (await test.takeAll()).map(({ name, id }) => ({ name, id }));
    const rank = (name: string): number[] => [-(Number(name.slice(5, 9)) % 3), Number(name.slice(5, 9)) % 7];
    const expected = names.toSorted((a, b) => {
      const [x, y] = [rank(a), rank(b)];
      return (x[0] ?? 0) - (y[0] ?? 0) || (x[1] ?? 0) - (y[1] ?? 0) || (a < b ? -1 : 1);
    });
    expect(taken.map(({ name }) => name)).toEqual(expected);
    expect(new Set(taken.map(({ id }) => id)).size).toBe(5000);
  });
});

describe('killed', () => {
  it('0 lost and 0 doubled when the worker is killed again and again', { timeout: scaledLimit(900_000) }, async () => {
    await using test = new TestInbox();
    const names = Array.from({ length: scaled(300) }, (_, i) => `t${i}.md`);
    for (const name of names) writeFileSync(test.at(name), 'The same for all.\n');
    const ledger = join(test.home, 'ledger');
    writeFileSync(ledger, '');
    for (let life = 0; lines(ledger).length < names.length; life++) await liveAndDie(test, ledger, life);
    const received = lines(ledger).map((line) => JSON.parse(line) as { id: string; name: string });
    expect(received.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    expect(new Set(received.map(({ id }) => id)).size).toBe(names.length);
  });
});

const lines = (file: string): string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean);
const child = join(import.meta.dirname, '../support/inbox-child.ts');

function liveAndDie(test: TestInbox, ledger: string, life: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const worker = spawn(process.execPath, [child, 'work', test.dir, ledger], { stdio: ['ignore', 'pipe', 'inherit'] });
  worker.once('exit', () => resolve());
  worker.stdout.once('data', () => setTimeout(() => worker.kill('SIGKILL'), 10 + ((life * 37) % 90)));
  return promise;
}

function asNobody(test: TestInbox): { taken: string[]; rejected: unknown[]; problems: string[] } {
  chmodSync(test.dir, 0o777);
  const { stdout } = spawnSync(process.execPath, [child, 'once', test.dir], {
    encoding: 'utf8',
    ...(process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}),
  });
  return JSON.parse(stdout) as ReturnType<typeof asNobody>;
}

async function listen(path: string): Promise<void> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(path, resolve);
  await promise;
  server.unref();
}

function hardLink(test: TestInbox, name: string, folder = test.dir): void {
  writeFileSync(join(test.home, 'other'), GOOD);
  linkSync(join(test.home, 'other'), join(folder, name));
}

function linkedTask(test: TestInbox, name: string): void {
  mkdirSync(test.at(name));
  symlinkSync('/etc/passwd', test.at(name, 'TASK.md'));
}

function inFolder(test: TestInbox, put: (folder: string) => unknown): void {
  mkdirSync(test.at('x'));
  writeFileSync(test.at('x', 'TASK.md'), GOOD);
  put(test.at('x'));
}

function brokenName(folder: string): void {
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/x`), Buffer.from([0xff]), Buffer.from('.md')]), GOOD);
}

function deep(folder: string, levels: number): void {
  mkdirSync(join(folder, ...Array.from({ length: levels }, () => 'd')), { recursive: true });
}

function many(folder: string, files: number): void {
  for (let i = 0; i < files; i++) writeFileSync(join(folder, `f${i}`), '');
}

function large(path: string, bytes: number): void {
  writeFileSync(path, 'x');
  truncateSync(path, bytes);
}

function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, i) => `  - &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`);
  return `---\naccept:\n  - &l0 lol\n${levels.join('\n')}\n---\nx`;
}
