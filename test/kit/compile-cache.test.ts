import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeAt, commandEnvironment } from '../../src/kit/settings.ts';
import { temporaryFolder } from '../support/cli.ts';

const launcher = join(import.meta.dirname, '../../bin/oka');
const isRoot = process.getuid?.() === 0;

/** Starts oka with a home of its own, and says what is stored below it afterwards, also in its temporary folder. */
function startIn(dir: string, env: Record<string, string> = {}): { own: string[]; shared: string[] } {
  mkdirSync(join(dir, 'tmp'), { recursive: true });
  const { PATH = '' } = process.env;
  const variables = { PATH, HOME: join(dir, 'home'), TMPDIR: join(dir, 'tmp'), ...env };
  const { status } = spawnSync(process.execPath, [launcher, '--version'], { env: variables });
  expect(status).toBe(0);
  return { own: filesIn(join(dir, 'home/.cache/oka/compiled')), shared: filesIn(join(dir, 'tmp')) };
}

const filesIn = (path: string): string[] =>
  existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }) : [];

function prepared(dir: string, mode = 0o700): string {
  const folder = join(dir, 'home/.cache/oka/compiled');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, mode);
  return folder;
}

describe('compiled code', () => {
  it('is stored in a folder of this user alone, and never in the shared one', () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.dir, 'home'), { mode: 0o700 });
    const { own, shared } = startIn(folder.dir);
    expect(own.length).toBeGreaterThan(2);
    expect(shared).toEqual([]);
    expect(statSync(join(folder.dir, 'home/.cache/oka/compiled')).mode & 0o777).toBe(0o700);
  });

  it.each([0o770, 0o707, 0o777, 0o1777])('is not used from a folder that others can write (%o)', (mode) => {
    using folder = temporaryFolder();
    prepared(folder.dir, mode);
    expect(startIn(folder.dir)).toEqual({ own: [], shared: [] });
  });

  it('is not used where others can replace the folder', () => {
    using folder = temporaryFolder();
    prepared(folder.dir);
    chmodSync(join(folder.dir, 'home/.cache'), 0o777);
    expect(startIn(folder.dir)).toEqual({ own: [], shared: [] });
  });

  it.each(['home/.cache/oka', 'home/.cache/oka/compiled'])('is not used through a symbolic link at %s', (link) => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.dir, 'elsewhere/compiled'), { recursive: true, mode: 0o700 });
    mkdirSync(join(folder.dir, link, '..'), { recursive: true, mode: 0o700 });
    symlinkSync(join(folder.dir, 'elsewhere'), join(folder.dir, link));
    expect(startIn(folder.dir).shared).toEqual([]);
    expect(filesIn(join(folder.dir, 'elsewhere'))).toEqual(['compiled']);
  });

  it.runIf(isRoot).each(['home', 'home/.cache', 'home/.cache/oka', 'home/.cache/oka/compiled'])(
    'is not used when %s belongs to somebody else',
    (path) => {
      using folder = temporaryFolder();
      prepared(folder.dir);
      chownSync(join(folder.dir, path), 4711, 4711);
      expect(startIn(folder.dir)).toEqual({ own: [], shared: [] });
    },
  );

  it.each([
    ['without a home', { HOME: '' }],
    ['with a home that is not there and cannot be made', { HOME: '/proc/nobody' }],
    ['with a relative cache folder', { HOME: '', XDG_CACHE_HOME: 'cache' }],
  ])('oka starts %s, and stores none', (_, env) => {
    using folder = temporaryFolder();
    expect(startIn(folder.dir, env)).toEqual({ own: [], shared: [] });
  });

  it('is stored where whoever starts oka says so', () => {
    using folder = temporaryFolder();
    const chosen = join(folder.dir, 'chosen');
    expect(startIn(folder.dir, { NODE_COMPILE_CACHE: chosen })).toEqual({ own: [], shared: [] });
    expect(filesIn(chosen).length).toBeGreaterThan(2);
  });

  it('commands of tasks do not learn where it is', () => {
    expect(Object.keys(commandEnvironment(homeAt('/nowhere')))).not.toContain('NODE_COMPILE_CACHE');
  });
});
