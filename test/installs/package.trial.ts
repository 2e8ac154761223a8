/** The tarball of `npm run pack`, installed globally into an empty prefix and started in an empty folder. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { hash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
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
    XDG_DATA_HOME: join(folder.dir, 'data'),
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
  const { subject, predicate } = JSON.parse(
    readFileSync(join(folder.dir, tarball.replace('.tgz', '.provenance.json')), 'utf8'),
  ) as { subject: { digest: { sha256: string } }[]; predicate: object };
  expect(subject[0]?.digest.sha256).toBe(hash('sha256', readFileSync(join(folder.dir, tarball))));
  expect(JSON.stringify(predicate)).toContain(run(TOP, 'git', 'rev-parse', 'HEAD').trim());
  const licences = readFileSync(join(folder.dir, tarball.replace('.tgz', '.licences.txt')), 'utf8');
  expect(licences.split('\n')).toHaveLength(components.length + 1);
  run(home, 'npm', 'install', '--global', '--ignore-scripts', '--prefix', prefix, join(folder.dir, tarball));
  expect(existsSync(join(prefix, 'lib/node_modules/oka/src'))).toBe(false);
  expect(megabytes(join(prefix, 'lib/node_modules/oka'))).toBeLessThan(350);

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
    expect(doctor).toMatch(/memory +searched by keywords only: the add-on "vectors" is not installed/);
    await addKilled(oka, { cwd: home, env });
    run(home, oka, 'add-on', 'add', 'replica');
    run(home, oka, 'add-on', 'add', 'vectors');
    const folders = readdirSync(join(folder.dir, 'data/oka/add-ons')).map((name) => name.split('@')[0]);
    expect(new Set(folders)).toEqual(new Set(['replica', 'vectors']));
    expect(run(home, oka, 'doctor')).toMatch(
      /memory +searched by keywords(?: and semantically|; semantic search begins)/,
    );
    expect(doctor).toMatch(/launcher.*as it came with oka/);
  } finally {
    child.kill('SIGINT');
    await ended;
  }
}, 900_000);

/** Installations that are killed at different moments: an add-on is there, whole, or not at all. */
async function addKilled(oka: string, options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<void> {
  for (const ms of [200, 600, 1000, 1500, 2200]) {
    const child = spawn(oka, ['add-on', 'add', 'replica'], { ...options, stdio: 'ignore', detached: true });
    const ended = once(child, 'exit');
    await Promise.race([setTimeout(ms), ended]);
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended;
    const listed = spawnSync(oka, ['add-on', 'list', '--json'], { ...options, encoding: 'utf8' });
    const [, found] = JSON.parse(listed.stdout) as { state: string; folder?: string }[];
    expect(
      found?.state === 'missing' || existsSync(join(found?.folder ?? '', 'node_modules/convex/package.json')),
    ).toBe(true);
  }
}

function megabytes(folder: string): number {
  return Number(spawnSync('du', ['-sm', folder], { encoding: 'utf8' }).stdout.split('\t')[0]);
}
