import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Host } from '../../src/kit/house/host.ts';
import type { Home } from '../../src/core/schema/home.ts';
import type { RunState } from '../../src/core/engine/run-state.ts';
import { depsOf, eventsOf, open, page, ran, step, until, workshop } from '../support/deps.ts';
import { openRegistry, program, type Published } from '../support/registry.ts';

const saying = (name: string, version: string): Published =>
  program(name, { version, files: { 'cli.js': `#!/usr/bin/env node\nconsole.log('${name} ${version}');\n` } });

async function tasked(home: Home, requires: string, line: string): Promise<RunState> {
  const file = join(home.dir, `task-${Math.random()}.md`);
  writeFileSync(file, `---\nrequires: [${JSON.stringify(requires)}]\n---\n# T\n\n\`\`\`bash\n${line}\n\`\`\`\n`);
  const { runTask } = await import('../../src/rooms/inbox/run-task.ts');
  return (await runTask({ home, signal: new AbortController().signal, notify: () => undefined }, { path: file })).ended;
}

describe('a step that installs a package for everybody', () => {
  it.each(['npm install -g cowsay && cowsay moo', 'npm i --global cowsay@1.0.0; cowsay moo'])(
    '%s is done by the installer: it has a receipt, and the step goes on',
    async (line) => {
      await using shop = await workshop([program('cowsay')]);
      const run = await open(shop.home, (host) => ran(host, step(line), 'r1'));
      expect(run).toMatchObject({
        status: 'done',
        output: { stdout: expect.stringContaining('cowsay moo\n') as string },
      });
      const [receipt] = await eventsOf(shop.home, 'dependency.installed');
      expect(receipt?.data).toMatchObject({ name: 'cowsay', folder: 'node/cowsay@1.0.0', for_run: 'r1' });
    },
  );

  it('pnpm comes first if it is not there, and what it installs for everybody lands in the same place', async () => {
    await using shop = await workshop([program('cowsay'), program('pnpm')]);
    const run = await open(shop.home, (host) => ran(host, step('pnpm add -g cowsay && cowsay moo && pnpm ls'), 'r1'));
    expect(run).toMatchObject({
      status: 'done',
      output: { stdout: expect.stringContaining('cowsay moo\npnpm ls\n') as string },
    });
    const receipts = (await eventsOf(shop.home, 'dependency.installed')).map(({ data }) => data.folder);
    expect(receipts).toEqual(['node/cowsay@1.0.0', 'node/pnpm@1.0.0']);
  });

  it('a package that a person named there needs no second word; one that nobody named does', async () => {
    await using shop = await workshop([program('frobnicator')]);
    await open(shop.home, async (host) => {
      expect((await ran(host, step('npm i -g frobnicator && frobnicator x'), 'r1')).status).toBe('done');
      const said = 'echo "oka: the package elsewhere is not installed yet" >&2; exit 1';
      expect((await ran(host, step(said), 'r2')).status).toBe('blocked');
    });
    expect(shop.registry.asked).toEqual(['frobnicator']);
  });

  it('a step writes nothing below .oka/tools, whatever it calls', async () => {
    await using shop = await workshop([]);
    const line = 'touch "$npm_config_prefix/x" || touch "$PNPM_HOME/x" || /usr/bin/env -i /bin/sh -c "echo kept"';
    const run = await open(shop.home, (host) => ran(host, step(line), 'r1'));
    expect(run).toMatchObject({ status: 'done', output: { stdout: 'kept\n' } });
  });
});

describe('a version that is needed', () => {
  it('is checked by asking the program: a newer one is installed in place of one that is too old', async () => {
    await using shop = await workshop([saying('cowsay', '1.0.0')]);
    const { home, registry } = shop;
    expect((await tasked(home, 'cowsay>=1', 'cowsay')).status).toBe('done');
    expect((await tasked(home, 'cowsay>=1', 'cowsay')).status).toBe('done');
    expect(await eventsOf(home, 'dependency.installed')).toHaveLength(1);
    const port = Number(new URL(registry.url).port);
    await registry.close();
    const newer = await openRegistry([saying('cowsay', '2.1.0')], port);
    expect((await tasked(home, 'cowsay>=2', 'cowsay')).status).toBe('done');
    const versions = (await eventsOf(home, 'dependency.installed')).map(({ data }) => data.version);
    expect(versions).toEqual(['1.0.0', '2.1.0']);
    expect((await tasked(home, 'node:cowsay@2', 'cowsay')).status).toBe('done');
    expect(await eventsOf(home, 'dependency.installed')).toHaveLength(2);
    await newer.close();
  });

  it('that only an image can bring is asked for, with the one that is there', async () => {
    await using shop = await workshop([]);
    expect((await tasked(shop.home, 'bash>=99', 'true')).status).toBe('blocked');
    expect(page(shop.home)).toMatch(/bash is version \d+\.[\d.]+, and >=99 is needed/);
    expect((await tasked(shop.home, 'bash>=3', 'true')).status).toBe('done');
  });
});

describe('a request whose thing has come by itself', () => {
  const MISSING = 'ebook-convert';
  const bring = (home: Home, text: string): void => {
    mkdirSync(join(home.oka, 'tools', 'bin'), { recursive: true });
    writeFileSync(join(home.oka, 'tools', 'bin', MISSING), text, { mode: 0o755 });
  };

  it('V3 is closed at the next start, and who waited goes on', async () => {
    await using shop = await workshop([]);
    const { home } = shop;
    expect((await open(home, (host) => ran(host, step(`${MISSING} a`), 'r1'))).status).toBe('blocked');
    bring(home, '#!/bin/sh\necho converted "$@"\n');
    await open(home, (host) => until(async () => (await host.engine.stateOf('r1'))?.status === 'done'));
    expect(page(home)).toMatch(/status: resolved[\s\S]*It is there\./);
    const [resolved] = await eventsOf(home, 'requirement.resolved');
    expect(resolved?.data).toMatchObject({ name: MISSING, by: 'oka' });
  });

  it('V3 is closed when somebody installs the package by hand', async () => {
    await using shop = await workshop([program('cowsay', { at: new Date() })]);
    const { home, registry } = shop;
    await open(home, async (host: Host) => {
      expect((await ran(host, step('cowsay moo'), 'r1')).status).toBe('blocked');
      const port = Number(new URL(registry.url).port);
      await registry.close();
      const older = await openRegistry([program('cowsay')], port);
      await (await depsOf(host).install('node:cowsay')).done;
      await until(async () => (await host.engine.stateOf('r1'))?.status === 'done');
      await until(() => page(home).includes('status: resolved'));
      await older.close();
    });
    expect(page(home)).toMatch(/status: resolved/);
  });

  it('V3 is not closed when the step cannot find it although it is there', async () => {
    await using shop = await workshop([program('cowsay')]);
    const line = 'echo "bash: line 1: cowsay: command not found" >&2; exit 127';
    expect((await open(shop.home, (host) => ran(host, step(line), 'r1'))).status).toBe('blocked');
    await open(shop.home, (host) => depsOf(host).notice());
    expect(page(shop.home)).toContain('status: open');
  });
});

describe('npm settings for the whole machine', () => {
  afterEach(() => delete process.env['npm_config_prefix']);

  it('hold for the installer and for a step with the network, although both have another prefix', async () => {
    await using shop = await workshop([program('cowsay')]);
    const { home, registry } = shop;
    mkdirSync(join(home.dir, 'machine', 'etc'), { recursive: true });
    writeFileSync(join(home.dir, 'machine', 'etc', 'npmrc'), `registry=${registry.url}\nfund=false\n`);
    process.env['npm_config_prefix'] = join(home.dir, 'machine');
    for (const name of ['npm_config_registry', 'npm_config_globalconfig']) delete process.env[name]; // npm sets the second for what it starts
    const told = 'echo "$npm_config_globalconfig"';
    const runs = await open(home, async (host) => [
      await ran(host, step('cowsay moo'), 'r1'),
      await ran(host, step(told, { input: { line: told, net: true } }), 'r2'),
    ]);
    expect(runs[0]).toMatchObject({ status: 'done', output: { stdout: 'cowsay moo\n' } });
    expect(runs[1]).toMatchObject({ status: 'done', output: { stdout: `${home.dir}/machine/etc/npmrc\n` } });
  });
});
