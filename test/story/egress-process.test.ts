import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { proxyEnvironment } from '../../src/kit/egress/open-egress.ts';
import { machineTime } from '../../src/core/ledger/machine-time.ts';
import { sealTicket } from '../../src/kit/egress/proxy-tickets.ts';
import { launcher, oka, temporaryFolder } from '../support/cli.ts';
import { listen, say } from '../kit/egress/support.ts';

type Line = {
  listening?: { host: string; port: number };
  host?: string;
  verdict?: string;
  run?: string;
  reason?: string;
};

/** The command in a process of its own; npm in it says that the registry is here. */
async function started(registry: number, ...args: string[]) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  await oka('init', '--dir', folder.dir);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder.dir,
    npm_config_registry: `http://127.0.0.1:${registry}/`,
  };
  const child = spawn(
    process.execPath,
    [launcher, 'egress', '--listen', '127.0.0.1:0', '--json', '--dir', folder.dir, ...args],
    { env },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as Line));
  await until(child, () => lines.length > 0);
  return { child, lines, port: lines[0]?.listening?.port ?? 0, dir: folder.dir };
}

async function until(child: ChildProcess, isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    await new Promise((done) => setTimeout(done, 20));
  }
}

it('alone, the proxy lets the registries through and nothing else, tells each decision, and takes over a new policy', async () => {
  const registry = await listen(createServer((_, response) => response.end('a package')));
  const { child, lines, port, dir } = await started(registry);
  const ask = (url: string): Promise<string> =>
    say(port, `GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect(await ask(`http://127.0.0.1:${registry}/pkg`)).toMatch(/a package$/);
  expect(await ask('http://127.0.0.1:1/')).toMatch(/^HTTP\/1\.1 403 /);
  expect(await ask('http://example.test/')).toMatch(/^HTTP\/1\.1 403 .*not among the hosts/s);
  await until(child, () => lines.length === 4);
  expect(lines.slice(1).map(({ host, verdict }) => [host, verdict])).toEqual([
    ['127.0.0.1', 'allowed'],
    ['127.0.0.1', 'refused'],
    ['example.test', 'refused'],
  ]);
  const policy = join(dir, '.oka/rules/POLICY.md');
  const denying = 'rules:\n  - { effect: deny, host: 127.0.0.1, why: not today }';
  writeFileSync(policy, readFileSync(policy, 'utf8').replace('rules: []', denying));
  for (let answer = ''; !answer.includes('not today'); ) {
    await new Promise((done) => setTimeout(done, 200));
    answer = await ask(`http://127.0.0.1:${registry}/pkg`);
  }
  child.kill('SIGINT');
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(130);
});

it('with a key only steps of its worker are let in, and each decision says for which run', async () => {
  const registry = await listen(createServer((_, response) => response.end('a package')));
  const keys = temporaryFolder();
  onTestFinished(() => keys[Symbol.dispose]());
  const file = join(keys.dir, 'key');
  const key = randomBytes(32);
  writeFileSync(file, key);
  const { child, lines, port } = await started(registry, '--key', file);
  const ticket = sealTicket(key, { run: 'r7', call: 'r7.n1.1', hosts: [] }, 60_000, {
    clock: Date.now,
    machine: machineTime,
  });
  const { username, password } = new URL(proxyEnvironment({ host: '127.0.0.1', port }, ticket)['HTTP_PROXY'] ?? '');
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const ask = (header: string): Promise<string> =>
    say(port, `GET http://127.0.0.1:${registry}/ HTTP/1.1\r\nHost: x\r\n${header}Connection: close\r\n\r\n`);
  expect(await ask('')).toMatch(/^HTTP\/1\.1 407 /);
  expect(await ask(`Proxy-Authorization: Basic ${basic}\r\n`)).toMatch(/a package$/);
  await until(child, () => lines.length === 2);
  expect(lines[1]).toMatchObject({ run: 'r7', verdict: 'allowed' });
});

it('what cannot be listened on, and a key that is none, are told', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  await oka('init', '--dir', folder.dir);
  writeFileSync(join(folder.dir, 'short'), 'x');
  for (const [args, words] of [
    [['--listen', 'nowhere'], /--listen is an address and a port/],
    [['--listen', '127.0.0.1:99999'], /--listen is an address and a port/],
    [['--key', join(folder.dir, 'none')], /--key: /],
    [['--key', join(folder.dir, 'short')], /only 1 bytes/],
  ] as const) {
    const { code, err } = await oka('egress', '--dir', folder.dir, ...args);
    expect(err).toMatch(words);
    expect(code).toBe(2);
  }
});
