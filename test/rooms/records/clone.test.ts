/** A clone is the program and may also be a home: git must not see what people and oka write there. */
import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { oka, type TemporaryFolder, temporaryFolder } from '../../support/cli.ts';

const TOP = join(import.meta.dirname, '../../..');
/** The part of a clone that is also the home. */
const TRACKED = ['.gitignore', '.oka', 'workspace', 'INSTALL_REQUIREMENTS.md'];

let folder: TemporaryFolder;
let clone: string;
const git = (...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...words], {
    cwd: clone,
    encoding: 'utf8',
  });

beforeEach(() => {
  folder = temporaryFolder();
  vi.stubEnv('XDG_STATE_HOME', join(folder.dir, 'state'));
  vi.stubEnv('XDG_CONFIG_HOME', join(folder.dir, 'config'));
  clone = join(folder.dir, 'clone');
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...TRACKED], { cwd: TOP, encoding: 'utf8' });
  for (const path of listed.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    if (lstatSync(join(TOP, path)).isSymbolicLink()) symlinkSync(readlinkSync(join(TOP, path)), join(clone, path));
    else cpSync(join(TOP, path), join(clone, path));
  }
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'program');
});
afterEach(() => {
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

it('git has no change to report in a clone that was worked in, and whose rules, .env and files a person has edited', async () => {
  expect((await oka('run', 'Say hello\n\n```bash\necho hello > hello.txt\n```\n', '--dir', clone)).code).toBe(0);
  for (const path of ['.oka/rules/POLICY.md', '.oka/rules/config.json'])
    writeFileSync(join(clone, path), `${readFileSync(join(clone, path), 'utf8')}\n`);
  for (const path of ['.env', '.oka/rules/mine.md', 'workspace/notes.md', 'workspace/graphs/report.json']) {
    mkdirSync(dirname(join(clone, path)), { recursive: true });
    writeFileSync(join(clone, path), 'mine\n');
  }
  expect(git('status', '--porcelain')).toBe('');
  expect(readFileSync(join(clone, 'INSTALL_REQUIREMENTS.md'), 'utf8')).toContain('Nothing is needed');
});

it('the page of requirements is there before the first start, and git reports it only when somebody has changed it', () => {
  const page = 'workspace/INSTALL_REQUIREMENTS.md';
  expect(readFileSync(join(clone, 'INSTALL_REQUIREMENTS.md'), 'utf8')).toBe(
    readFileSync(join(TOP, 'share/home', page), 'utf8'),
  );
  writeFileSync(join(clone, page), 'mine\n');
  expect(git('status', '--porcelain')).toBe(` M ${page}\n`);
});

it('a clone that nobody has started in yet answers with what to do, and takes a task', async () => {
  expect(await oka('status', '--dir', clone)).toMatchObject({ code: 0 });
  expect(await oka('add', 'Say hello', '--dir', clone)).toMatchObject({ code: 0 });
  expect(await oka('doctor', '--dir', clone)).toMatchObject({
    out: expect.stringContaining('the first start makes it') as string,
  });
});
