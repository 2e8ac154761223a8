/** Ways out of the desk, tried with every tool that takes a path. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from '../../../../src/core/schema/json.ts';
import type { Outcome } from '../../../../src/core/schema/tool.ts';
import { filesTools } from '../../../../src/rooms/desk/tools/files.ts';
import { errorOf, ground, put, use } from './support.ts';
import { memoryFolder } from '../../../support/test-folders.ts';

const { root, desk, outside, artifacts } = ground();
const tools = filesTools({ desk, artifacts });
const call = (name: string, input: Json): Promise<Outcome> =>
  use(
    tools.find((tool) => tool.name === `files.${name}`),
    input,
  );

const socket = createServer();

beforeAll(async () => {
  put(desk, 'inside.txt', 'inside');
  put(desk, 'sub/x.txt', 'x');
  const links: Record<string, string> = {
    'to-file': join(outside, 'secret.txt'),
    'to-file-relative': '../outside/secret.txt',
    'to-folder': outside,
    'to-parent': '..',
    'to-sibling': '../outside',
    'to-root': '/',
    'to-proc-root': '/proc/self/root',
    'to-proc-cwd': '/proc/self/cwd',
    'to-fd': '/proc/self/fd',
    'to-null': '/dev/null',
    'to-link': 'to-folder',
    'sub/up-and-out': '../../outside',
    'dangling-out': join(outside, 'new.txt'),
    'dangling-folder': join(outside, 'new-folder'),
    'dangling-in': 'not/there',
    circle: 'circle',
    'circle-a': 'circle-b',
    'circle-b': 'circle-a',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(desk, name));
  execFileSync('mkfifo', [join(desk, 'pipe')]);
  symlinkSync('pipe', join(desk, 'to-pipe'));
  linkSync(join(outside, 'secret.txt'), join(desk, 'second-name'));
  // Relative: the path of a socket is short by law.
  socket.listen(relative(process.cwd(), join(desk, 'socket')));
  await once(socket, 'listening');
  mkdirSync(join(root, 'desk-beside'));
  put(root, 'desk-beside/secret.txt', 'outside');
});
afterAll(() => socket.close());

const OUT = [
  '..',
  '../outside/secret.txt',
  'sub/../../outside/secret.txt',
  'sub/../inside.txt',
  './../outside/secret.txt',
  '/etc/passwd',
  '//etc/passwd',
  '/',
  '/proc/self/root/etc/passwd',
  '/proc/self/environ',
  '/proc/self/cwd/package.json',
  '/dev/null',
  `/proc/self/root${join(desk, 'inside.txt')}`,
  `${desk}/../outside/secret.txt`,
  `${desk}-beside/secret.txt`,
  join(outside, 'secret.txt'),
  'inside.txt\0.png',
  '\0',
  'to-file',
  'to-file-relative',
  'to-folder/secret.txt',
  'to-folder/none.txt',
  'to-folder/none/none.txt',
  'to-folder/secret.txt/x',
  'to-parent/outside/secret.txt',
  'to-sibling/secret.txt',
  'to-root/etc/passwd',
  'to-proc-root/etc/passwd',
  'to-proc-cwd/package.json',
  'to-fd/0',
  'to-null',
  'to-link/secret.txt',
  'sub/up-and-out/secret.txt',
  'dangling-out',
  'dangling-folder/x.txt',
  'pipe',
  'to-pipe',
  'socket',
];

describe('a path that leads out of the desk, or to something that is no file, is denied', () => {
  it.each(OUT)('%j for reading', async (path) => {
    expect(await call('read', { path })).toMatchObject({ status: 'denied', error: expect.stringMatching(/\. \w/) });
  });

  it.each(OUT)('%j for writing, adding and editing', async (path) => {
    expect(await call('write', { path, content: 'x' })).toMatchObject({ status: 'denied' });
    expect(await call('write', { path, content: 'x', append: true })).toMatchObject({ status: 'denied' });
    expect(await call('edit', { path, old: 'outside', new: 'x' })).toMatchObject({ status: 'denied' });
  });

  const folders = [
    '..',
    '/',
    '/etc',
    'to-folder',
    'to-parent',
    'to-root/etc',
    'to-proc-root',
    'to-fd',
    'to-link',
    'a\0',
  ];
  it.each(folders)('%j for listing and searching', async (path) => {
    expect(await call('list', { path, recursive: true })).toMatchObject({ status: 'denied' });
    expect(await call('search', { path, pattern: 'o' })).toMatchObject({ status: 'denied' });
  });

  const entries = ['..', '/etc/passwd', '../outside/secret.txt', 'to-folder/secret.txt', 'to-link/x', 'to-fd/0', 'a\0'];
  it.each(entries)('%j for moving from and to, and for removing', async (path) => {
    expect(await call('move', { from: path, to: 'taken' })).toMatchObject({ status: 'denied' });
    expect(await call('move', { from: 'inside.txt', to: path })).toMatchObject({ status: 'denied' });
    expect(await call('remove', { path, recursive: true })).toMatchObject({ status: 'denied' });
  });

  it.each(['dangling-folder/x', 'dangling-folder/deep/x'])('%j as a place to move to', async (to) => {
    expect(await call('move', { from: 'inside.txt', to })).toMatchObject({ status: 'denied' });
  });

  it('a file with a second name elsewhere, for writing', async () => {
    for (const input of [{ content: 'x' }, { content: 'x', append: true }])
      expect(errorOf(await call('write', { path: 'second-name', ...input }))).toMatch(/second name/);
    expect(await call('edit', { path: 'second-name', old: 'o', new: 'x' })).toMatchObject({ status: 'denied' });
  });

  it.each(['circle', 'circle-a', 'circle/x'])('%j, a circle of links, is a failure', async (path) => {
    expect(errorOf(await call('read', { path }))).toMatch(/circle of links/);
    expect(await call('write', { path, content: 'x' })).toMatchObject({ status: 'failed' });
  });

  it('a link that leads nowhere inside the desk is told as one', async () => {
    expect(errorOf(await call('read', { path: 'dangling-in' }))).toMatch(/a link that leads nowhere/);
  });

  it.each(['~/x', '~root/.ssh/id', '%2e%2e/outside/secret.txt', '..\\outside', '...', '．．/x', 'file:///etc/passwd'])(
    '%j is only a strange name',
    async (path) => {
      expect(await call('read', { path })).toMatchObject({ status: 'failed' });
      expect(await call('write', { path, content: 'x' })).toMatchObject({ status: 'ok' });
      expect(await call('remove', { path })).toMatchObject({ status: 'ok' });
    },
  );
});

describe('P2 between check and use', () => {
  it('a folder that keeps turning into a link lets nothing out and nothing in', async () => {
    const at = ground(memoryFolder);
    put(at.desk, 'd/e/secret.txt', 'inside');
    put(at.outside, 'e/secret.txt', 'outside');
    put(at.outside, 'e/tree/precious.txt');
    symlinkSync('../outside', join(at.desk, 'link'));
    // A write makes the folders on its way, also in the moment in which d is away: such a folder is put aside.
    const swap = `const { renameSync, rmSync } = require('node:fs');
      const mv = (from, to) => {
        for (;;) try { return renameSync(from, to); } catch { rmSync(to, { recursive: true, force: true }); }
      };
      const rest = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.2);
      for (;;) { mv('d', 'd2'); mv('link', 'd'); rest(); mv('d', 'link'); mv('d2', 'd'); rest(); }`;
    const swapping = spawn(process.execPath, ['-e', swap], { cwd: at.desk, stdio: 'ignore' });
    onTestFinished(() => void swapping.kill('SIGKILL'));
    const [read, , search, write, , move, remove] = filesTools(at);
    const seen = new Set<string>();
    for (let turn = 0; turn < 150 || !seen.has('denied'); turn += 1) {
      const outcomes = await Promise.all([
        use(read, { path: 'd/e/secret.txt' }),
        use(search, { path: '.', pattern: 'side' }),
        use(write, { path: 'd/e/new.txt', content: 'x' }),
        use(write, { path: 'd/f/g/new.txt', content: 'x' }),
        use(move, { from: 'd/e/secret.txt', to: 'd/e/moved.txt' }),
        use(move, { from: 'd/e/moved.txt', to: 'd/e/secret.txt' }),
        use(remove, { path: 'd/e/tree', recursive: true }),
      ]);
      for (const outcome of outcomes)
        seen.add(outcome.status === 'ok' ? JSON.stringify(outcome.output) : outcome.status);
    }
    swapping.kill('SIGKILL');
    await once(swapping, 'exit');
    expect([...seen].filter((text) => text.includes('outside'))).toEqual([]);
    const left = readdirSync(at.outside, { recursive: true, encoding: 'utf8' });
    expect(left.toSorted()).toEqual(['e', 'e/secret.txt', 'e/tree', 'e/tree/precious.txt', 'secret.txt']);
  });
});

it('after all of this nothing outside has changed', () => {
  expect(readdirSync(outside)).toEqual(['secret.txt']);
  expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('outside');
  expect(readFileSync(join(desk, 'inside.txt'), 'utf8')).toBe('inside');
});
