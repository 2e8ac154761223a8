import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { homeAt } from '../../../src/kit/settings.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { oka, type TemporaryFolder, temporaryFolder } from '../../support/cli.ts';

const TASK = 'Say hello\n\n```bash\necho hello > hello.txt\n```\n';

let folder: TemporaryFolder;
let home: Home;
let before: number;
beforeEach(() => {
  before = process.umask(0o022);
  folder = temporaryFolder();
  home = homeAt(join(folder.dir, 'home'));
  mkdirSync(home.dir);
});
afterEach(() => {
  process.umask(before);
  folder[Symbol.dispose]();
});

/** What others may read, write or enter. */
function openToOthers(at: string): string[] {
  return readdirSync(at, { recursive: true, encoding: 'utf8' })
    .map((name) => join(at, name))
    .filter((path) => !lstatSync(path).isSymbolicLink() && (lstatSync(path).mode & 0o077) !== 0);
}

it('everything that a task and maintenance leave in .oka is for its user only, and results are as readable as ever', async () => {
  expect((await oka('run', TASK, '--dir', home.dir)).code).toBe(0);
  expect((await oka('maintain', '--once', '--dir', home.dir)).code).toBe(0);
  const tools = join(home.oka, 'tools');
  expect(openToOthers(home.oka).filter((path) => !path.startsWith(`${tools}/`))).toEqual([]);
  expect(lstatSync(home.oka).mode & 0o777).toBe(0o700);
  expect(lstatSync(home.ledgers.run).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(home.oka, 'undo')).length).toBeGreaterThan(0);
  const [run = ''] = readdirSync(join(home.workspace, 'outbox'));
  expect(statSync(join(home.workspace, 'outbox', run, 'RESULT.md')).mode & 0o044).toBe(0o044);
});

it('a home of an older version, open to all, is tightened when it is started', async () => {
  await oka('run', TASK, '--dir', home.dir);
  for (const path of readdirSync(home.oka, { recursive: true, encoding: 'utf8' }).map((name) => join(home.oka, name)))
    if (!lstatSync(path).isSymbolicLink()) chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
  chmodSync(home.oka, 0o755);
  expect(openToOthers(home.oka).length).toBeGreaterThan(20);
  expect((await oka('run', TASK, '--dir', home.dir)).code).toBe(0);
  const tools = join(home.oka, 'tools');
  expect(openToOthers(home.oka).filter((path) => !path.startsWith(`${tools}/`))).toEqual([]);
});
