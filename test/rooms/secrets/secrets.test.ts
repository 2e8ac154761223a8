import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { okaWith, type Ran, temporaryFolder } from '../../support/cli.ts';

type Home = { dir: string; key: string; oka: (stdin: string, ...args: string[]) => Promise<Ran> };

/** A home whose key lies outside of it. */
async function homeIn(dir: string): Promise<Home> {
  const env = { XDG_CONFIG_HOME: join(dir, 'config') };
  const home = join(dir, 'home');
  const oka = (input: string, ...args: string[]): Promise<Ran> => okaWith({ env, input }, ...args, '--dir', home);
  expect(await oka('', 'init')).toMatchObject({ code: 0 });
  return { dir: home, key: join(dir, 'config', 'oka', 'identity'), oka };
}

const ledgerOf = ({ dir }: Home): string => readFileSync(join(dir, '.oka/run_ledger.jsonl'), 'utf8');

describe('oka secrets', () => {
  it('sets, lists, rotates and removes; values are seen nowhere', async () => {
    using folder = temporaryFolder();
    const home = await homeIn(folder.dir);
    const rules = ['--tool', 'http.get', '--tool', 'shell', '--host', 'api.example.org'];
    expect(await home.oka('first-value-7\n', 'secrets', 'set', 'TOKEN', ...rules)).toMatchObject({
      code: 0,
      out: expect.stringContaining(`A new key was made: ${home.key}`),
    });
    expect((await home.oka('second-value-8', 'secrets', 'rotate', 'TOKEN', '--json')).out).toContain('"version":2');
    const listed = await home.oka('', 'secrets', 'list', '--json');
    expect(JSON.parse(listed.out)).toMatchObject({
      secrets: [{ name: 'TOKEN', version: 2, tools: ['http.get', 'shell'], hosts: ['api.example.org'], old: 1 }],
    });
    expect((await home.oka('', 'secrets', 'list')).out).toContain('http.get, shell');
    const doctor = (await home.oka('', 'doctor')).out;
    expect(doctor).toMatch(/vault +\S+credentials\.age opens; 1 secret\n/);
    expect((await home.oka('', 'secrets', 'rm', 'TOKEN')).out).toBe('TOKEN was removed.\n');
    expect((await home.oka('', 'secrets', 'list')).out).toContain('no secrets yet');
    expect((await home.oka('', 'log')).out).toMatch(/TOKEN was set .*\n.*TOKEN was rotated .*\n.*TOKEN was removed/);
    for (const value of ['first-value-7', 'second-value-8']) {
      expect(listed.out + doctor).not.toContain(value);
      expect(ledgerOf(home)).not.toContain(value);
    }
  });

  it('names the commands of a model that may have it, and no program that runs any code', async () => {
    using folder = temporaryFolder();
    const home = await homeIn(folder.dir);
    const set = (...commands: string[]): Promise<Ran> =>
      home.oka('first-value-7', 'secrets', 'set', 'TOKEN', '--tool', 'shell', ...commands);
    expect(await set()).toMatchObject({ code: 0, err: expect.stringContaining('without --command') });
    for (const command of ['bash', 'python3 -c', 'node', 'env gh', './gh', 'gh; sh', 'git $(x)'])
      expect(await set('--command', command)).toMatchObject({ code: 2 });
    expect(await set('--command', 'gh', '--command', 'git push')).toMatchObject({ code: 0 });
    await home.oka('second-value-8', 'secrets', 'rotate', 'TOKEN');
    expect(JSON.parse((await home.oka('', 'secrets', 'list', '--json')).out)).toMatchObject({
      secrets: [{ name: 'TOKEN', commands: ['gh', 'git push'] }],
    });
  });

  it('the key of a model is for models and their address, without further words', async () => {
    using folder = temporaryFolder();
    const home = await homeIn(folder.dir);
    const list = async (): Promise<string> => (await home.oka('', 'secrets', 'list', '--json')).out;
    const set = await home.oka('sk-model-key-of-a-test', 'secrets', 'set', 'ANTHROPIC_API_KEY');
    expect(set).toMatchObject({ code: 0, err: expect.stringContaining('sent to api.anthropic.com and nowhere else') });
    expect(await list()).toMatch(/"model\.complete"[^}]*"api\.anthropic\.com"/);
    expect(await home.oka('own-server-key-1', 'secrets', 'set', 'OKA_MODEL_KEY')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--host HOST'),
    });
    const settings = { 'custom:x': { base_url: 'http://127.0.0.1:9999/v1' } };
    writeFileSync(join(home.dir, '.oka/rules/config.json'), JSON.stringify({ models: { use: 'custom:x', settings } }));
    expect((await home.oka('own-server-key-1', 'secrets', 'set', 'OKA_MODEL_KEY')).code).toBe(0);
    expect(await list()).toContain('127.0.0.1:9999');
    const other = await home.oka('long-enough', 'secrets', 'set', 'GITHUB_TOKEN');
    expect(other).toMatchObject({ code: 0, err: expect.stringContaining('without --tool') });
  });

  it('never takes a value as an argument, and says why', async () => {
    using folder = temporaryFolder();
    const home = await homeIn(folder.dir);
    for (const command of ['set', 'rotate']) {
      const ran = await home.oka('', 'secrets', command, 'TOKEN', 'hunter2-as-argument');
      expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('a value is never an argument') });
      expect(ran.err).not.toContain('hunter2');
    }
    expect(existsSync(home.key)).toBe(false);
  });

  it('what cannot be is refused in words, and nothing is made', async () => {
    using folder = temporaryFolder();
    const home = await homeIn(folder.dir);
    for (const [args, input, code, words] of [
      [['set', 'A'], 'short', 2, 'fewer than 6'],
      [['set', 'A b'], 'long-enough', 2, 'cannot be the name'],
      [['set', 'A', '--host', 'https://x.org/'], 'long-enough', 2, 'is not a host'],
      [['set', 'A', '--tool', 'a tool'], 'long-enough', 2, 'name of a tool'],
      [['set'], 'long-enough', 2, 'name of the secret is missing'],
      [['rotate', 'A'], 'long-enough', 3, 'there is no secret "A"'],
      [['rm', 'A'], '', 3, 'there is no secret "A"'],
      [['export-recipient'], '', 3, 'is missing'],
    ] as const)
      expect(await home.oka(input, 'secrets', ...args)).toMatchObject({ code, err: expect.stringContaining(words) });
    expect(existsSync(join(home.dir, '.oka/credentials.age'))).toBe(false);
  });

  it('a key that others can read is refused, with the remedy, and so is work with a vault whose values cannot be recognised', async () => {
    using folder = temporaryFolder();
    const home = await homeIn(folder.dir);
    await home.oka('long-enough', 'secrets', 'set', 'TOKEN');
    chmodSync(home.key, 0o644);
    expect(await home.oka('', 'secrets', 'list')).toMatchObject({
      code: 3,
      err: expect.stringContaining(`chmod 600 ${home.key}`),
    });
    rmSync(home.key);
    expect(await home.oka('another-value', 'secrets', 'set', 'OTHER')).toMatchObject({
      code: 3,
      err: expect.stringContaining('oka creates no new key for an existing vault'),
    });
    const graph = join(folder.dir, 'graph.json');
    writeFileSync(
      graph,
      JSON.stringify({ id: 'g', mode: 'flex', nodes: [{ kind: 'tool', id: 'a', tool: 'files.list', input: {} }] }),
    );
    expect(await home.oka('', 'graph', 'run', graph)).toMatchObject({ code: 0 });
    rmSync(dirname(home.key), { recursive: true });
    expect(await home.oka('', 'graph', 'run', graph)).toMatchObject({
      code: 3,
      err: expect.stringMatching(/is missing.*the values of TOKEN cannot be recognised/),
    });
  });

  it('export-recipient gives the public half only', async () => {
    using folder = temporaryFolder();
    const home = await homeIn(folder.dir);
    await home.oka('long-enough', 'secrets', 'set', 'TOKEN');
    expect((await home.oka('', 'secrets', 'export-recipient')).out).toMatch(/^age1[a-z0-9]{58}\n$/);
  });
});
