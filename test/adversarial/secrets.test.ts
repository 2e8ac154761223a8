/** Twenty secrets, in every form, down every road: none of them may be read anywhere afterwards but where it was put. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadConfig, homeAt } from '../../src/kit/settings.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { openStores, runsFolder, type Stores } from '../../src/kit/house/stores.ts';
import { vaultOf } from '../../src/kit/vault/home-vault.ts';
import { createEngine } from '../../src/core/engine/engine.ts';
import { withValue } from '../../src/kit/vault/vault-contents.ts';
import { openCache } from '../../src/core/ledger/cache.ts';
import { openRunSnapshots } from '../../src/core/ledger/run-snapshots.ts';
import { Graph } from '../../src/core/schema/graph.ts';
import type { Json } from '../../src/core/schema/json.ts';
import { filesTools } from '../../src/rooms/desk/tools/files.ts';
import { httpTools } from '../../src/rooms/desk/tools/http.ts';
import { humanTool } from '../../src/rooms/desk/tools/human.ts';
import { shellTool } from '../../src/rooms/desk/tools/shell.ts';
import { standardChain } from '../../src/core/chain/chain.ts';
import { createReveal } from '../../src/core/chain/reveal-secrets.ts';
import { launcher, temporaryFolder } from '../support/cli.ts';
import { forms, hardSecrets as values, shows } from '../support/secret-forms.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const secrets = values.map((value, index) => ({ name: `S${index}`, value }));

const folder = temporaryFolder();
const home = homeAt(join(folder.dir, 'home'));
const desk = join(home.workspace, 'desk');
const everyForm = (value: string): string => forms.map(({ name, encode }) => `${name}: <${encode(value)}>`).join('\n');
const everything = secrets.map(({ value }) => everyForm(value)).join('\n\n');
const bounds = { timeout_seconds: 60, max_retries: 0 };

const server = createServer((request, response) => {
  if (request.url === '/echo') return response.end(JSON.stringify({ got: request.headers.authorization }));
  response.statusCode = request.url === '/error' ? 500 : 200;
  response.end(request.url === '/error' ? everyForm(values[0] ?? '') : everything);
});

beforeAll(async () => {
  vi.stubEnv('XDG_CONFIG_HOME', join(folder.dir, 'config'));
  setUp(home);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const rules = { tools: ['shell', 'http.get'], hosts: [`127.0.0.1:${port}`] };
  const vault = await vaultOf(home);
  await vault.change((all) =>
    secrets.reduce((contents, { name, value }) => withValue(contents, name, value, NOW, rules), all),
  );
  for (const { name, value } of secrets) {
    writeFileSync(join(desk, `${name}.txt`), everyForm(value));
    writeFileSync(
      join(desk, `${name}.bin`),
      Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(everyForm(value))]),
    );
  }
  writeFileSync(join(desk, 'all.txt'), everything);
});
afterAll(() => {
  server.close();
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

function engineOn(stores: Stores) {
  const { artifacts, ledger, vault } = stores;
  const tools = [
    shellTool({ desk, env: { PATH: process.env['PATH'] ?? '' }, artifacts }),
    ...filesTools({ desk, artifacts }),
    ...httpTools({ artifacts, allowPrivate: () => true }),
    humanTool(),
  ];
  const sleep = (ms: number): Promise<void> => after(ms);
  const cache = openCache(join(home.oka, 'cache'));
  const reveal = createReveal({ find: vault.find, record: (events) => ledger.append(events) });
  const allow = () => ({ effect: 'allow', why: 'a test' }) as const;
  const middleware = standardChain({
    tools,
    clock: Date.now,
    sleep,
    cache,
    judge: allow,
    reveal,
    redact: vault.redactCut,
  });
  const events = {
    stage: ledger.stage.bind(ledger),
    flush: ledger.flush.bind(ledger),
    read: ledger.read.bind(ledger),
  };
  return createEngine({
    tools,
    clock: Date.now,
    sleep,
    middleware,
    stores: { events, artifacts, cache, runs: openRunSnapshots(runsFolder(home)) },
  });
}

async function run(id: string, nodes: object[], more: { title?: string; input?: Json } = {}): Promise<string> {
  const stores = await openStores(home, await loadConfig(home));
  try {
    const graph = Graph.parse({ id: 'roads', mode: 'flex', nodes });
    const engine = engineOn(stores);
    const state = await (await engine.start(graph, { id, ...more })).done;
    return state.status;
  } finally {
    await stores.close();
  }
}

const call = (id: string, tool: string, input: Json, more: object = {}): object => ({
  kind: 'tool',
  id,
  tool,
  input,
  ...bounds,
  ...more,
});

describe('down every road', () => {
  it('what commands print, also in pieces, in errors and in large or binary output', async () => {
    const nodes = secrets.flatMap(({ name }, index) => [
      call(`cat${index}`, 'shell', { argv: ['cat', `${name}.txt`] }),
      call(`bin${index}`, 'shell', { argv: ['cat', `${name}.bin`] }),
      call(`slow${index}`, 'shell', { line: `head -c 9 ${name}.txt; sleep 0.05; tail -c +10 ${name}.txt` }),
    ]);
    await run('prints', [...nodes, call('all', 'shell', { line: 'cat all.txt all.txt' })]);
    for (const { name } of secrets)
      await run(`fails-${name}`, [call('fail', 'shell', { line: `cat ${name}.txt >&2; exit 3` })]);
  });

  it('what is read from files and from the network, and what is asked', async () => {
    const { port } = server.address() as AddressInfo;
    const nodes = secrets.flatMap(({ name, value }, index) => [
      call(`read${index}`, 'files.read', { path: `${name}.txt` }),
      call(`write${index}`, 'files.write', { path: `copy-${name}.md`, content: `# RESULT\n\n${everyForm(value)}\n` }),
    ]);
    await run('reads', [
      ...nodes,
      call('large', 'files.read', { path: 'all.txt' }),
      call('search', 'files.search', { pattern: 'plain' }),
      call('web', 'http.get', { url: `http://127.0.0.1:${port}/` }),
    ]);
    await run('web-error', [call('web', 'http.get', { url: `http://127.0.0.1:${port}/error` })]);
    await run('asks', [call('ask', 'human.ask', { question: everyForm(values[0] ?? '') })]);
  });

  it('the text of a task: title, input, and what becomes an artifact', async () => {
    const stores = await openStores(home, await loadConfig(home));
    for (const { value } of secrets) await stores.artifacts.put(`# Task\n\n${everyForm(value)}`, { name: 'TASK.md' });
    await stores.artifacts.put(Buffer.from(everything));
    await stores.close();
    for (const { name, value } of secrets)
      await run(`task-${name}`, [call('look', 'files.list', {})], {
        title: value.slice(0, 400),
        input: { task: everyForm(value), chunks: value.match(/.{1,4}/gsu) ?? [] },
      });
  });

  it('a secret that is used: the tool has it, the ledger has its name', async () => {
    const { port } = server.address() as AddressInfo;
    await run('uses', [
      call('file', 'shell', {
        line: 'test "$(cat "$KEY")" = "$PLAIN" && cat "$KEY" | base64',
        secrets: { KEY: 'secret:S0', PLAIN: { from: 'secret:S0', as: 'env' } },
      }),
      call('web', 'http.get', { url: `http://127.0.0.1:${port}/echo`, headers: { authorization: 'Bearer secret:S0' } }),
      call('basic', 'http.get', {
        url: `http://127.0.0.1:${port}/echo`,
        headers: { authorization: 'Basic ada:secret:S5' },
      }),
    ]);
    const ledger = readFileSync(home.ledgers.run, 'utf8');
    expect(ledger).toContain(
      '"input":{"url":"http://127.0.0.1:' + port + '/echo","headers":{"authorization":"Bearer secret:S0"}}',
    );
    const uses = ledger.split('\n').filter((line) => line.includes('"type":"secret.used"'));
    expect(uses).toHaveLength(3);
    expect(ledger).toContain('Bearer [redacted:S0]');
    expect(ledger).toContain('Basic YWRhO[redacted:S5]');
  });
});

describe('nothing can be read', () => {
  it('in the ledger, artifacts, snapshots, projections and caches', () => {
    const files = filesUnder(home.oka).filter((file) => !file.endsWith('.reserve')); // random bytes, which have every short value by chance
    expect(files.length).toBeGreaterThan(100);
    const found = files.flatMap((file) => {
      const bytes = readFileSync(file);
      const text = `${bytes.toString('utf8')}\n${bytes.toString('latin1')}`;
      return secrets.filter(({ value }) => shows(text, value)).map(({ name }) => `${name} in ${file}`);
    });
    expect(found).toEqual([]);
  });

  it.each([
    'log --limit 0',
    'log --limit 0 --json',
    'explain prints',
    'explain fails-S0',
    'explain reads --json',
    'explain task-S3 --json',
    'status --json',
    'replay uses',
    'replay uses --mode decision',
    'secrets list --json',
    'secrets show-usage --json',
  ])('on the console: oka %s', (words) => {
    const args = [launcher, ...words.split(' '), '--dir', home.dir];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 1e9 });
    expect(status).toBe(0);
    expect(stdout.length).toBeGreaterThan(10);
    expect(secrets.filter(({ value }) => shows(stdout + stderr, value)).map(({ name }) => name)).toEqual([]);
  });

  it('the check itself would see every form of every secret', () => {
    for (const { value } of secrets)
      for (const { encode } of forms) {
        expect(shows(`a ${encode(value)} b`, value)).toBe(true);
        expect(shows(JSON.stringify({ out: encode(value) }), value)).toBe(true);
      }
  });
});

function filesUnder(dir: string): string[] {
  mkdirSync(dir, { recursive: true });
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'credentials.age')
    .map((entry) => join(entry.parentPath, entry.name));
}
