/** The tarball of `npm run pack`, installed globally into an empty prefix and started in an empty folder. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/cli.ts';
import { testFolder } from '../support/test-folders.ts';

const TOP = join(import.meta.dirname, '../..');

it('the package installs without the checkout, does its first task in a sandbox, and finds its model', async () => {
  using folder = temporaryFolder(testFolder); // whole installations
  const [prefix, home] = [join(folder.dir, 'prefix'), join(folder.dir, 'home')];
  for (const dir of [prefix, home]) mkdirSync(dir);
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(folder.dir, 'state'),
    XDG_CONFIG_HOME: join(folder.dir, 'config'),
  };
  const run = (cwd: string, program: string, ...words: string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, words, { cwd, env, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  };
  run(TOP, 'npm', 'run', '-s', 'pack', '--', folder.dir);
  const [tarball = ''] = globSync('oka-*.tgz', { cwd: folder.dir });
  run(folder.dir, 'sha256sum', '--check', '--strict', 'SHA256SUMS');
  const { components } = JSON.parse(readFileSync(join(folder.dir, tarball.replace('.tgz', '.sbom.json')), 'utf8')) as {
    components: { name: string; version: string }[];
  };
  const { dependencies } = JSON.parse(readFileSync(join(TOP, 'package.json'), 'utf8')) as { dependencies: object };
  const listed = new Set(components.map(({ name }) => name));
  expect(Object.keys(dependencies).filter((name) => !listed.has(name))).toEqual([]);
  const licences = readFileSync(join(folder.dir, tarball.replace('.tgz', '.licences.txt')), 'utf8');
  expect(licences.split('\n')).toHaveLength(components.length + 1);
  run(home, 'npm', 'install', '--global', '--ignore-scripts', '--prefix', prefix, join(folder.dir, tarball));
  expect(existsSync(join(prefix, 'lib/node_modules/oka/src'))).toBe(false);

  const oka = join(prefix, 'bin/oka');
  const child = spawn(oka, ['up'], { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => void output.push(String(text)));
  const ended = once(child, 'exit');
  const result = (): string => {
    const [path] = globSync('workspace/outbox/*/RESULT.md', { cwd: home });
    return path === undefined ? '' : readFileSync(join(home, path), 'utf8');
  };
  try {
    await expect.poll(result, { timeout: 120_000, message: output.join('') }).toContain('✅ Done');
    const doctor = spawnSync(oka, ['doctor'], { cwd: home, env, encoding: 'utf8' }).stdout;
    expect(doctor).toMatch(/memory +searched by keywords(?: and semantically|; semantic search begins)/);
    expect(doctor).toMatch(/launcher.*as it came with oka/);
  } finally {
    child.kill('SIGINT');
    await ended;
  }
}, 900_000);
