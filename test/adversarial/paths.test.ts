/**
 * Ways out of the desk: by the text of a path, by what lies on the disk, and by what another process does to it in the
 * very moment of a call. Every one is refused with the reason, and afterwards nothing outside has changed or leaked.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../src/core/schema/json.ts';
import type { Outcome } from '../../src/core/schema/tool.ts';
import { filesTools } from '../../src/rooms/desk/tools/files.ts';
import { memoryFolder } from '../support/test-folders.ts';
import { errorOf, type Ground, ground, put, use } from '../rooms/desk/tools/support.ts';

const SECRET = 'outside';
const at = ground();
const { desk, outside, root } = at;
const socket = createServer();
const isRoot = process.getuid?.() === 0;

const LINKS: Record<string, string> = {
  'to-file': join(outside, 'secret.txt'),
  'to-file-relative': '../outside/secret.txt',
  'to-file-winding': 'sub/.././/sub/../../outside/./secret.txt',
  'to-folder': outside,
  'to-parent': '..',
  'to-grandparent': '../..',
  'to-root': '/',
  'to-proc-root': '/proc/self/root',
  'to-proc-cwd': '/proc/self/cwd',
  'to-proc-fd': '/proc/self/fd',
  'to-thread-root': '/proc/thread-self/root',
  'to-init-root': '/proc/1/root',
  'to-null': '/dev/null',
  'to-desk-and-up': `${desk}/../outside`,
  'to-desk-by-proc': `/proc/self/root${desk}`,
  'to-beside': `${desk}-beside`,
  'to-link': 'to-folder',
  'sub/up-and-out': '../../outside',
  'dangling-out': join(outside, 'new.txt'),
  'dangling-folder': join(outside, 'new-folder'),
  'dangling-in': 'not/there',
  'caf\u00e9': outside,
  circle: 'circle',
  'circle-a': 'circle-b/x',
  'circle-b': 'circle-a',
  'home~': '~',
};

beforeAll(async () => {
  put(desk, 'inside.txt', 'inside');
  put(desk, 'sub/x.txt', 'inside');
  put(root, 'desk-beside/secret.txt', SECRET);
  for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, join(desk, name));
  for (let depth = 0; depth < 50; depth += 1)
    symlinkSync(depth === 0 ? 'sub' : `chain-${depth - 1}`, join(desk, `chain-${depth}`));
  execFileSync('mkfifo', [join(desk, 'pipe')]);
  symlinkSync('pipe', join(desk, 'to-pipe'));
  linkSync(join(outside, 'secret.txt'), join(desk, 'second-name'));
  socket.listen(relative(process.cwd(), join(desk, 'socket')));
  await once(socket, 'listening');
});
afterAll(() => socket.close());

const LEADS_OUT = /leads out of the desk\. Only/;
const OUTSIDE = /is outside the desk\. Give/;
const DOTS = /has \.\. in it\. Give/;
const UNSEEN = /has characters that cannot be seen\. Give/;
const NO_FILE = /is a pipe, a socket or a device\. Only/;

/** What a tool says to a path, whatever it wants to do there. */
const TRICKS: [path: string, reason: RegExp][] = [
  ['..', DOTS],
  ['../outside/secret.txt', DOTS],
  ['sub/../../outside/secret.txt', DOTS],
  ['sub/../inside.txt', DOTS],
  ['./../outside/secret.txt', DOTS],
  ['sub/..', DOTS],
  [`${desk}/../outside/secret.txt`, DOTS],
  ['/', OUTSIDE],
  ['/etc/passwd', OUTSIDE],
  ['//etc/passwd', OUTSIDE],
  ['/proc/self/root/etc/passwd', OUTSIDE],
  ['/proc/self/environ', OUTSIDE],
  ['/proc/self/fd/0', OUTSIDE],
  ['/dev/fd/0', OUTSIDE],
  [`/proc/self/root${desk}/inside.txt`, OUTSIDE],
  [`${desk}-beside/secret.txt`, OUTSIDE],
  [desk.toUpperCase(), OUTSIDE],
  [join(outside, 'secret.txt'), OUTSIDE],
  ['inside.txt\0.png', /has a NUL in it\. Give/],
  ['\0', /has a NUL in it\. Give/],
  ['inside\n.txt', UNSEEN],
  ['in\u202etxt.side', UNSEEN],
  ['in\u200bside.txt', UNSEEN],
  ['\ufeffinside.txt', UNSEEN],
  ['inside.txt\x1b[2K', UNSEEN],
  ['inside\ud800.txt', /is not proper Unicode\. Give/],
  ['to-file', LEADS_OUT],
  ['to-file/', LEADS_OUT],
  ['to-file-relative', LEADS_OUT],
  ['to-file-winding', LEADS_OUT],
  ['to-folder/secret.txt', LEADS_OUT],
  ['to-folder//./secret.txt', LEADS_OUT],
  ['to-folder/none/none.txt', LEADS_OUT],
  ['to-parent/outside/secret.txt', LEADS_OUT],
  ['to-grandparent/x', LEADS_OUT],
  ['to-root/etc/passwd', LEADS_OUT],
  ['to-proc-root/etc/passwd', LEADS_OUT],
  ['to-proc-cwd/package.json', LEADS_OUT],
  ['to-proc-fd/0', LEADS_OUT],
  ['to-thread-root/etc/passwd', LEADS_OUT],
  ['to-init-root/etc/passwd', LEADS_OUT],
  ['to-null', LEADS_OUT],
  ['to-desk-and-up/secret.txt', LEADS_OUT],
  ['to-desk-by-proc/inside.txt', LEADS_OUT],
  ['to-beside/secret.txt', LEADS_OUT],
  ['to-link/secret.txt', LEADS_OUT],
  ['sub/up-and-out/secret.txt', LEADS_OUT],
  ['dangling-out', LEADS_OUT],
  ['dangling-folder/x.txt', LEADS_OUT],
  ['dangling-in', /is a link that leads nowhere\. Remove/],
  ['dangling-in/x.txt', /is a link that leads nowhere\. Remove/],
  ['home~/x', /is a link that leads nowhere\. Remove/],
  ['caf\u00e9/secret.txt', LEADS_OUT],
  ['circle', /is a circle of links\. Name/],
  ['circle/x', /is a circle of links\. Name/],
  ['circle-a', /is a circle of links\. Name/],
  ['chain-49/x.txt', /is a circle of links\. Name/],
  ['pipe', NO_FILE],
  ['to-pipe', NO_FILE],
  ['socket', NO_FILE],
  ['inside.txt/x', /goes through something that is not a folder\. See/],
  ['x'.repeat(256), /is too long a name\. Use/],
  ['x'.repeat(1001), /1000/],
  ['d/'.repeat(150), /is nested too deep\. Use/],
];

describe('a path that is a trick is refused with the reason', () => {
  it.each(TRICKS)('%j for reading and changing', async (path, reason) => {
    for (const [name, input] of [
      ['read', {}],
      ['read', { offset: 0, length: 10 }],
      ['write', { content: 'x' }],
      ['write', { content: 'x', append: true }],
      ['edit', { old: SECRET, new: 'x' }],
    ] as const) {
      const outcome = await call(at, name, { path, ...input });
      expect(['denied', 'failed']).toContain(outcome.status);
      expect(errorOf(outcome)).toMatch(reason);
    }
  });

  const folders = TRICKS.filter(([, reason]) => [LEADS_OUT, OUTSIDE, DOTS, UNSEEN].includes(reason));
  it.each(folders)('%j for listing, searching, moving and removing', async (path, reason) => {
    for (const [name, input] of [
      ['list', { path, recursive: true }],
      ['search', { path, pattern: SECRET }],
    ] as const)
      expect(errorOf(await call(at, name, input))).toMatch(reason);
    // A link is moved and removed as what it is; only the way to it is followed.
    const below = `${path}/x`;
    for (const [name, input] of [
      ['move', { from: below, to: 'taken' }],
      ['move', { from: 'inside.txt', to: below }],
      ['remove', { path: below, recursive: true, missing_ok: true }],
    ] as const)
      expect(errorOf(await call(at, name, input))).toMatch(reason);
  });

  it('another Unicode form of a name is another name', async () => {
    expect(errorOf(await call(at, 'read', { path: 'cafe\u0301/secret.txt' }))).toMatch(/is not there/);
    expect(errorOf(await call(at, 'read', { path: '\uff0e\uff0e/outside/secret.txt' }))).toMatch(/is not there/);
    expect(errorOf(await call(at, 'read', { path: '%2e%2e/outside/secret.txt' }))).toMatch(/is not there/);
    expect(errorOf(await call(at, 'read', { path: '..\\outside\\secret.txt' }))).toMatch(/is not there/);
    expect(errorOf(await call(at, 'read', { path: 'INSIDE.TXT' }))).toMatch(/is not there/);
  });

  it('a file that has a second name is not changed', async () => {
    for (const input of [{ content: 'x' }, { content: 'x', append: true }])
      expect(errorOf(await call(at, 'write', { path: 'second-name', ...input }))).toMatch(
        /has a second name elsewhere/,
      );
    expect(errorOf(await call(at, 'edit', { path: 'second-name', old: 'o', new: 'x' }))).toMatch(/second name/);
  });

  it.skipIf(!isRoot)('a second name of somebody else\u2019s file is not even read', async () => {
    const theirs = ground();
    chownSync(join(theirs.outside, 'secret.txt'), 4321, 4321);
    linkSync(join(theirs.outside, 'secret.txt'), join(theirs.desk, 'theirs'));
    expect(errorOf(await call(theirs, 'read', { path: 'theirs' }))).toMatch(/belongs to somebody else/);
    expect(await call(theirs, 'search', { pattern: SECRET })).toMatchObject({ output: { matches: [], skipped: 1 } });
  });
});

/** A process that does something to a desk over and over, and says after how many times it has come to `enough`. */
async function meddling(
  where: Ground,
  setUp: string,
  turn: string,
): Promise<{ enough: () => boolean; stop(): Promise<void> }> {
  const script = `const fs = require('node:fs');
    const { symlinkSync, linkSync, writeFileSync, rmSync } = fs;
    const mkdir = (path) => {
      for (;;) try { return fs.mkdirSync(path, { recursive: true }); } catch (error) {
        if (error.code !== 'ENOENT') throw error;
      }
    };
    const mv = (from, to) => {
      for (;;) try { return fs.renameSync(from, to); } catch (error) {
        if (error.code === 'ENOENT') return;
        rmSync(to, { recursive: true, force: true });
      }
    };
    const rest = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.05);
    ${setUp}
    for (let times = 1; ; times += 1) { ${turn}; if (times === 2500) fs.writeSync(1, 'enough'); }`;
  const child: ChildProcess = spawn(process.execPath, ['-e', script], {
    cwd: where.desk,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let enough = false;
  child.stdout?.once('data', () => {
    enough = true;
  });
  const ended = once(child, 'exit');
  return {
    enough: () => enough || child.exitCode !== null,
    async stop() {
      expect(child.exitCode).toBeNull();
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Calls while the other process meddles, until it has done so thousands of times. Nothing may come in or go out. */
async function outlast(
  where: Ground,
  setUp: string,
  turn: string,
  calls: [name: string, input: Json][],
): Promise<Set<string>> {
  const before = pictureOf(where.outside);
  const meddler = await meddling(where, setUp, turn);
  const seen = new Set<string>();
  while (!meddler.enough()) {
    const outcomes = await Promise.all(calls.map(([name, input]) => call(where, name, input)));
    for (const outcome of outcomes)
      seen.add(outcome.status === 'ok' ? JSON.stringify(outcome.output) : errorOf(outcome));
  }
  await meddler.stop();
  expect([...seen].filter((text) => text.includes(SECRET))).toEqual([]);
  expect(pictureOf(where.outside)).toEqual(before);
  return seen;
}

describe('what is swapped between check and use leads nowhere', () => {
  const file: [string, Json][] = [
    ['read', { path: 'f' }],
    ['write', { path: 'f', content: 'x' }],
    ['write', { path: 'f', content: 'x', append: true }],
    ['edit', { path: 'f', old: 'o', new: 'x', all: true }],
    ['search', { path: '.', pattern: 'out' }],
  ];

  it('a file that keeps turning into a link to the outside', async () => {
    const where = ground(memoryFolder);
    const turn =
      "symlinkSync('../outside/secret.txt', 't'); mv('t', 'f'); rest(); writeFileSync('t', 'in'); mv('t', 'f'); rest()";
    await outlast(where, '', turn, file);
  });

  it('a file that keeps turning into a second name of one outside is never written', async () => {
    const where = ground(memoryFolder);
    const turn =
      "linkSync('../outside/secret.txt', 't'); mv('t', 'f'); rest(); writeFileSync('t', 'in'); mv('t', 'f'); rest()";
    await outlast(
      where,
      '',
      turn,
      file.filter(([, input]) => 'content' in (input as object)),
    );
  });

  it('a file that keeps turning into a pipe never holds a call up', async () => {
    const where = ground(memoryFolder);
    execFileSync('mkfifo', [join(where.root, 'fifo')]);
    const turn = "linkSync('../fifo', 't'); mv('t', 'f'); rest(); writeFileSync('t', 'in'); mv('t', 'f'); rest()";
    await outlast(where, '', turn, file);
  });

  it('a folder that keeps turning into a link to the outside', async () => {
    const where = ground(memoryFolder);
    put(where.desk, 'd/e/secret.txt', 'inside');
    put(where.outside, 'e/secret.txt', SECRET);
    put(where.outside, 'e/tree/precious.txt', SECRET);
    const seen = await outlast(
      where,
      "symlinkSync('../outside', 'link');",
      "mv('d', 'd2'); mv('link', 'd'); rest(); mv('d', 'link'); mv('d2', 'd'); rest()",
      [
        ['read', { path: 'd/e/secret.txt' }],
        ['write', { path: 'd/e/new.txt', content: 'x' }],
        ['write', { path: 'd/g/h/new.txt', content: 'x' }],
        ['edit', { path: 'd/e/secret.txt', old: 'side', new: 'side' }],
        ['list', { path: 'd', recursive: true }],
        ['search', { path: 'd', pattern: 'side' }],
        ['move', { from: 'd/e/new.txt', to: 'd/e/moved.txt' }],
        ['remove', { path: 'd/e/moved.txt' }],
        ['remove', { path: 'd/e/tree', recursive: true }],
      ],
    );
    expect([...seen].some((text) => LEADS_OUT.test(text))).toBe(true);
  });

  it('a folder deep in a tree that turns into a link while the tree is walked or removed', async () => {
    const where = ground(memoryFolder);
    put(where.outside, 'x/precious.txt', SECRET);
    for (let index = 0; index < 20; index += 1) put(where.desk, `t/${index}/deep/x/y.txt`, 'inside');
    await outlast(
      where,
      '',
      "mkdir('t/9/deep/x'); symlinkSync('../../../outside', 't/9/link'); mv('t/9/deep', 't/9/d2'); mv('t/9/link', 't/9/deep'); rest(); rmSync('t/9/deep', { force: true }); mv('t/9/d2', 't/9/deep')",
      [
        ['list', { path: 't', recursive: true }],
        ['search', { path: 't', pattern: 'out' }],
        ['remove', { path: 't/9/deep', recursive: true }],
      ],
    );
  });

  it('a link that keeps changing its mind', async () => {
    const where = ground(memoryFolder);
    put(where.desk, 'real/secret.txt', 'inside');
    const turn = "symlinkSync('../outside', 't'); mv('t', 'l'); rest(); symlinkSync('real', 't'); mv('t', 'l'); rest()";
    const seen = await outlast(where, '', turn, [
      ['read', { path: 'l/secret.txt' }],
      ['write', { path: 'l/secret.txt', content: 'inside' }],
      ['list', { path: 'l' }],
      ['write', { path: 'l/a/b/c.txt', content: 'x' }],
      ['remove', { path: 'l/a', recursive: true }],
      ['move', { from: 'l/secret.txt', to: 'l/secret2.txt' }],
      ['move', { from: 'l/secret2.txt', to: 'l/secret.txt' }],
    ]);
    expect([...seen].some((text) => LEADS_OUT.test(text))).toBe(true);
  });

  it('a folder that is carried out of the desk while it is used', async () => {
    const where = ground(memoryFolder);
    mkdirSync(join(where.root, 'scratch'));
    put(where.desk, 'd/e/x.txt', 'inside');
    const turn =
      "mv('d', '../scratch/d'); symlinkSync('../outside', 't'); mv('t', 'd'); rest(); mv('d', '../scratch/l'); mv('../scratch/d', 'd'); rest()";
    await outlast(where, '', turn, [
      ['read', { path: 'd/e/x.txt' }],
      ['write', { path: 'd/e/x.txt', content: 'inside' }],
      ['write', { path: 'd/secret.txt', content: 'taken' }],
      ['remove', { path: 'd/secret.txt' }],
      ['list', { path: 'd', recursive: true }],
    ]);
  });
});

it('after all of this nothing outside has changed', () => {
  expect(pictureOf(outside)).toEqual({ 'secret.txt': hash('sha256', SECRET) });
  expect(readFileSync(join(root, 'desk-beside/secret.txt'), 'utf8')).toBe(SECRET);
  expect(readFileSync(join(desk, 'inside.txt'), 'utf8')).toBe('inside');
});

function call(where: Ground, name: string, input: Json): Promise<Outcome> {
  return use(
    filesTools(where).find((tool) => tool.name === `files.${name}`),
    input,
  );
}

/** Every file of a folder and the hash of what is in it. */
function pictureOf(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = found.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((path, index) => [
      relative(folder, path),
      found[index]?.isFile() ? hash('sha256', readFileSync(path)) : '',
    ]),
  );
}
