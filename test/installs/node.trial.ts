import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ports } from '../../src/kit/ports/room-ports.ts';
import { allow, edit, eventsOf, open, page, ran, step, until, workshop } from '../support/deps.ts';
import { program } from '../support/registry.ts';

const MISSING = 'ebook-convert'; // a program of the system that no machine of a developer has by chance

describe('a step that needs a command nobody installed', () => {
  it('N1 is repeated once when the package is there, and the tool is still there after a restart', async () => {
    await using shop = await workshop([program('cowsay')]);
    const { home } = shop;
    const first = await open(home, (host) => ran(host, step('cowsay moo'), 'r1'));
    expect(first).toMatchObject({ status: 'done', output: { stdout: 'cowsay moo\n' } });
    const second = await open(home, (host) => ran(host, step('cowsay again'), 'r2'));
    expect(second).toMatchObject({ status: 'done', output: { stdout: 'cowsay again\n' } });
    const calls = (await eventsOf(home, 'call.started')).map(({ run, data }) => `${run} ${data.tool}`);
    expect(calls.filter((call) => call.endsWith('shell'))).toEqual(['r1 shell', 'r1 shell', 'r2 shell']);
    const [receipt, ...more] = await eventsOf(home, 'dependency.installed');
    expect(more).toEqual([]);
    expect(receipt?.data).toMatchObject({
      name: 'cowsay',
      version: '1.0.0',
      for_run: 'r1',
      from: new URL(shop.registry.url).host,
      why: expect.stringContaining('cowsay: command not found') as string,
      scripts: false,
    });
    const lock = JSON.parse(readFileSync(join(home.oka, 'tools', 'lock.json'), 'utf8')) as { tools: object };
    expect(lock.tools).toMatchObject({
      'node:cowsay': { integrity: receipt?.data.integrity, tree: receipt?.data.tree },
    });
  });

  it('N2 ten runs that need the same at once lead to one installation, and all go on', async () => {
    await using shop = await workshop([program('cowsay')]);
    const { home } = shop;
    const names = Array.from({ length: 10 }, (_, index) => `r${index}`);
    const runs = await open(home, (host) => Promise.all(names.map((name) => ran(host, step(`cowsay ${name}`), name))));
    expect(runs.map(({ status }) => status)).toEqual(names.map(() => 'done'));
    expect(await eventsOf(home, 'dependency.installed')).toHaveLength(1);
    expect(shop.registry.asked).toEqual(['cowsay']);
  });

  it('an unknown command is not guessed: a person is asked for it', async () => {
    await using shop = await workshop([program('frobnicate')]);
    const run = await open(shop.home, (host) => ran(host, step('frobnicate'), 'r1'));
    expect(run.status).toBe('blocked');
    const [asked] = await eventsOf(shop.home, 'wait.opened');
    expect(asked?.data.for).toMatchObject({
      kind: 'requirement',
      name: expect.stringContaining('frobnicate') as string,
    });
    expect(shop.registry.asked).toEqual([]);
  });

  it('a module that oka does not know is installed when a person has allowed it, and not before', async () => {
    await using shop = await workshop([{ name: 'frobnicator', files: { 'index.js': 'module.exports = 42;' } }]);
    const { home } = shop;
    const line = 'node -p \'require("frobnicator")\'';
    await open(home, async (host) => {
      expect(await ran(host, step(line), 'r1')).toMatchObject({ status: 'blocked' });
      expect(shop.registry.asked).toEqual([]);
      const goal = host
        .valuesOf({ taskGraph: ports.taskGraph })
        .taskGraph()
        .goals.find(({ run }) => run.startsWith('install-'));
      const [wait] = goal?.waits ?? [];
      if (goal === undefined || wait?.for.kind !== 'approval') throw new Error('nobody was asked');
      const { binding } = wait.for;
      await (await host.engine.answer(goal.run, wait.wait, { verdict: 'approved', binding, by: 'a person' })).done;
      await until(async () => (await host.engine.stateOf('r1'))?.status === 'done');
      expect(await host.engine.stateOf('r1')).toMatchObject({ status: 'done', output: { stdout: '42\n' } });
    });
  });

  it('import finds installed packages as require does', async () => {
    await using shop = await workshop([
      { name: 'dayjs', manifest: { exports: './main.mjs' }, files: { 'main.mjs': 'export default 7;' } },
    ]);
    const line = 'node --input-type=module -e \'import d from "dayjs"; console.log(d)\'';
    const run = await open(shop.home, (host) => ran(host, step(line), 'r1'));
    expect(run).toMatchObject({ status: 'done', output: { stdout: '7\n' } });
  });
});

describe('the policy', () => {
  it('that denies installations is obeyed: the step fails and says so', async () => {
    await using shop = await workshop([program('cowsay')]);
    allow(shop.home, 'rules:\n  - { effect: deny, tool: deps.install, why: "nothing is installed here" }');
    const run = await open(shop.home, (host) => ran(host, step('cowsay'), 'r1'));
    expect(run).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('nothing is installed here') as string,
    });
    expect(shop.registry.asked).toEqual([]);
  });
});

describe('what only a person can bring', () => {
  it('N4 is asked for with evidence; said to be there it is looked for, and asked for again when it is not', async () => {
    await using shop = await workshop([]);
    const { home } = shop;
    edit(home, (text) => `${text}\nA note of mine.\n`);
    await open(home, async (host) => {
      expect(await ran(host, step(`${MISSING} a b`), 'r1')).toMatchObject({ status: 'blocked' });
      expect(page(home)).toContain(`${MISSING}: command not found`);
      expect(page(home)).toContain('      calibre \\');
      expect(page(home)).toContain('A note of mine.');
      edit(home, (text) => text.replace('status: open', 'status: resolved'));
      await until(() => page(home).includes('last check'));
      expect(page(home)).toContain('status: open');
      expect(await host.engine.stateOf('r1')).toMatchObject({ status: 'blocked' });
      const bin = join(home.oka, 'tools', 'bin');
      await import('node:fs').then(({ mkdirSync }) => mkdirSync(bin, { recursive: true }));
      writeFileSync(join(bin, MISSING), '#!/bin/sh\necho converted "$@"\n', { mode: 0o755 });
      edit(home, (text) => text.replace('status: open', 'status: resolved'));
      await until(async () => (await host.engine.stateOf('r1'))?.status === 'done');
      expect(await host.engine.stateOf('r1')).toMatchObject({ status: 'done', output: { stdout: 'converted a b\n' } });
    });
    expect(page(home)).toMatch(/status: resolved[\s\S]*It is there\./);
    expect(page(home)).toContain('A note of mine.');
    const told = (await eventsOf(home, 'intake.received')).map(({ data }) => data.intake);
    expect(told).toEqual([1, 2].map(() => ({ kind: 'resolve', name: MISSING, by: 'INSTALL_REQUIREMENTS.md' })));
  });

  it('does not hold up a step that has a fallback', async () => {
    await using shop = await workshop([]);
    const graph = step(MISSING, { on_error: 'fallback', fallback: 'without' });
    const run = await open(shop.home, (host) => ran(host, graph, 'r1'));
    expect(run).toMatchObject({ status: 'done', output: 'without' });
    expect(page(shop.home)).toContain('status: open');
  });

  it('a missing library goes the same way', async () => {
    await using shop = await workshop([]);
    const line =
      "echo 'x: error while loading shared libraries: libGL.so.1: cannot open shared object file: No such file or directory' >&2; exit 127";
    const run = await open(shop.home, (host) => ran(host, step(line), 'r1'));
    if (!existsSync('/usr/lib/aarch64-linux-gnu/libGL.so.1') && !existsSync('/usr/lib/x86_64-linux-gnu/libGL.so.1')) {
      expect(run.status).toBe('blocked');
      expect(page(shop.home)).toContain('libgl1');
    }
  });

  it('N3 a step that misses the same again after it was brought is not helped a second time', async () => {
    await using shop = await workshop([program('cowsay')]);
    const line = 'echo "bash: line 1: cowsay: command not found" >&2; exit 127';
    const run = await open(shop.home, (host) => ran(host, step(line), 'r1'));
    expect(run.status).toBe('blocked');
    expect(page(shop.home)).toContain('it was provided before, and the step still misses it');
    expect(await eventsOf(shop.home, 'dependency.installed')).toHaveLength(1);
  });
});

describe('what a task says it needs', () => {
  it('is there before its first step', async () => {
    await using shop = await workshop([program('cowsay')]);
    const { home } = shop;
    const file = join(home.dir, 'task.md');
    writeFileSync(file, '---\nrequires: ["node:cowsay"]\n---\n# T\n\n```bash\ncowsay moo\n```\n');
    const { runTask } = await import('../../src/rooms/inbox/run-task.ts');
    const call = { home, signal: new AbortController().signal, notify: () => undefined };
    const { ended: run } = await runTask(call, { path: file });
    expect(run.status).toBe('done');
    const calls = (await eventsOf(home, 'call.started')).map(({ data }) => data.tool);
    expect(calls.filter((tool) => tool === 'shell')).toHaveLength(1);
    expect(calls.indexOf('deps.install')).toBeLessThan(calls.indexOf('shell'));
    expect(readdirSync(join(home.oka, 'tools', 'node', 'bin'))).toEqual(['cowsay']);
  });
});
