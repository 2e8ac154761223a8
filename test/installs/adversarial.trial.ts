import { spawn, spawnSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { launcher } from '../support/cli.ts';
import { allow, depsOf, eventsOf, open, page, ran, step, until, workshop } from '../support/deps.ts';
import { openRegistry, program } from '../support/registry.ts';
import { mayMount, mountSmall, unmount } from '../support/small-disk.ts';

/** What lies in the folder of tools besides what was fetched. */
function left(oka: string): string[] {
  const node = join(oka, 'tools', 'node');
  return existsSync(node) ? readdirSync(node) : [];
}

describe('a package that means harm', () => {
  it('runs none of its install scripts', async () => {
    const evil = program('cowsay', {
      manifest: { scripts: { postinstall: 'node evil.js', preinstall: 'node evil.js', install: 'node evil.js' } },
      files: {
        'evil.js': "require('fs').writeFileSync(require('path').join(process.env.npm_config_prefix, 'evil'), '')",
      },
    });
    await using shop = await workshop([evil]);
    const run = await open(shop.home, (host) => ran(host, step('cowsay moo'), 'r1'));
    expect(run.status).toBe('done');
    expect(spawnSync('find', [shop.home.dir, '-name', 'evil'], { encoding: 'utf8' }).stdout).toBe('');
  });

  it('runs them when the policy names it, without the network', async () => {
    const script =
      "require('fs').writeFileSync('made.txt', 'x'); require('net').connect(9, '127.0.0.1').on('error', (e) => require('fs').writeFileSync('net.txt', e.code))";
    const scripted = program('cowsay', {
      manifest: { scripts: { postinstall: 'node setup.js' } },
      files: { 'setup.js': script },
    });
    await using shop = await workshop([scripted]);
    allow(shop.home, 'installs: { scripts: [cowsay] }\nrules: []');
    const run = await open(shop.home, (host) => ran(host, step('cowsay moo'), 'r1'));
    expect(run.status).toBe('done');
    const inside = join(shop.home.oka, 'tools/node/cowsay@1.0.0/node_modules/cowsay');
    expect(readFileSync(join(inside, 'made.txt'), 'utf8')).toBe('x');
    expect(readFileSync(join(inside, 'net.txt'), 'utf8')).toMatch(/EACCES|EPERM/);
    expect((await eventsOf(shop.home, 'dependency.installed'))[0]?.data.scripts).toBe(true);
  });

  it('that is not what the registry announced is refused, nothing is left, and the next task goes on', async () => {
    await using shop = await workshop([program('cowsay', { fetched: 'another file' }), program('prettier')]);
    const { home } = shop;
    const [bad, good] = await open(home, async (host) => [
      await ran(host, step('cowsay'), 'r1'),
      await ran(host, step('prettier x'), 'r2'),
    ]);
    expect(bad.status).toBe('blocked');
    expect(page(home)).toContain('hash mismatch');
    expect(good).toMatchObject({ status: 'done', output: { stdout: 'prettier x\n' } });
    expect(left(home.oka).toSorted()).toEqual(['bin', 'imports.mjs', 'lib', 'prettier@1.0.0']);
  });

  it('was published an hour ago and is not taken; the policy may say otherwise', async () => {
    await using shop = await workshop([program('cowsay', { at: new Date(Date.now() - 3_600_000) })]);
    const { home } = shop;
    expect((await open(home, (host) => ran(host, step('cowsay'), 'r1'))).status).toBe('blocked');
    expect(page(home)).toContain('younger than 3 days');
    allow(home, 'installs: { min_age_days: 0 }\nrules: []');
    expect((await open(home, (host) => ran(host, step('cowsay'), 'r2'))).status).toBe('done');
  });

  it('is larger than the policy allows and is thrown away', async () => {
    await using shop = await workshop([program('cowsay', { files: { 'big.bin': 'x'.repeat(2_000_000) } })]);
    allow(shop.home, 'installs: { most_mb: 1 }\nrules: []');
    expect((await open(shop.home, (host) => ran(host, step('cowsay'), 'r1'))).status).toBe('blocked');
    expect(page(shop.home)).toContain('1 are allowed');
    expect(left(shop.home.oka)).toEqual([]);
  });
});

describe('an installation that is cut off', () => {
  it('a registry that is down is a reason to wait; when it is back the run goes on', async () => {
    await using shop = await workshop([program('cowsay')]);
    const { home, registry } = shop;
    const port = Number(new URL(registry.url).port);
    await registry.close();
    await open(home, async (host) => {
      expect((await ran(host, step('cowsay moo'), 'r1')).status).toBe('blocked');
      expect(page(home)).toContain('the npm registry cannot be reached');
      const back = await openRegistry([program('cowsay')], port);
      expect(await depsOf(host).resolve('cowsay', 'a person')).toMatchObject({ there: true });
      await host.engine.whenIdle();
      expect(await host.engine.stateOf('r1')).toMatchObject({ status: 'done', output: { stdout: 'cowsay moo\n' } });
      await back.close();
    });
  });

  it('I1 kill -9 in the middle leaves nothing that is used, and the next start brings it to its end', async () => {
    await using shop = await workshop([program('cowsay', { fetched: 'never' })]);
    const { home, registry } = shop;
    const graph = join(home.dir, 'graph.json');
    writeFileSync(graph, JSON.stringify(step('cowsay moo')));
    const child = spawn(process.execPath, [launcher, 'graph', 'run', graph, '--id', 'r1', '--dir', home.dir], {
      stdio: 'ignore',
    });
    await until(() => registry.asked.length > 0);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(registry.asked).not.toEqual([]);
    expect(left(home.oka).filter((name) => !name.startsWith('.new-'))).toEqual([]);
    const port = Number(new URL(registry.url).port);
    await registry.close();
    const back = await openRegistry([program('cowsay')], port);
    await open(home, async (host) => {
      expect(left(home.oka)).toEqual([]);
      for (const run of depsOf(host).runsToResume()) await (await host.engine.resume(run)).done;
      expect(await host.engine.stateOf('r1')).toMatchObject({ status: 'done', output: { stdout: 'cowsay moo\n' } });
    });
    await back.close();
  });
});

describe.skipIf(!mayMount)('a full disk (needs the right to mount a small tmpfs)', () => {
  it('ends an installation with a clear reason and nothing half done', async () => {
    await using shop = await workshop([
      program('cowsay', { files: { 'big.bin': randomBytes(60_000_000).toString('base64') } }),
    ]);
    const { home } = shop;
    const tools = join(home.oka, 'tools');
    mkdirSync(tools);
    mountSmall(tools, 'size=70m');
    try {
      const run = await open(home, (host) => ran(host, step('cowsay'), 'r1'));
      expect(run.status).toBe('blocked');
      expect(page(home)).toContain('the disk is full');
      expect(left(home.oka)).toEqual([]);
    } finally {
      unmount(tools);
    }
  });
});

describe('a program from an allowed source', () => {
  it('B1 with its hash is installed; with another it is refused', async () => {
    const text = '#!/bin/sh\necho tool "$@"\n';
    const sha256 = hash('sha256', text);
    const folder = mkdtempSync('/tmp/oka-source-');
    const from = join(folder, 'jqx');
    writeFileSync(from, text);
    await using shop = await workshop([], {
      tools: { binaries: { jqx: { from, sha256 }, bad: { from, sha256: 'a'.repeat(64) } } },
    });
    const [good, bad] = await open(shop.home, async (host) => [
      await ran(host, step('jqx .a'), 'r1'),
      await ran(host, step('bad'), 'r2'),
    ]);
    expect(good).toMatchObject({ status: 'done', output: { stdout: 'tool .a\n' } });
    expect(bad.status).toBe('blocked');
    expect(page(shop.home)).toContain('hash mismatch');
    rmSync(folder, { recursive: true });
  });
});
