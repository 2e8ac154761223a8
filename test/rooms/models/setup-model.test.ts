import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { oka, okaWith, type Ran, temporaryFolder } from '../../support/cli.ts';
import { openWireServer } from '../../support/wire-server.ts';
import { fail, say } from '../../support/wire-server-reply.ts';

const KEY = 'sk-ant-5e1b7c90d24f';

/** A home without a model, and a server of Anthropic's protocol that answers for one key; it has no list of models. */
async function prepare(dir: string) {
  await oka('init', '--dir', dir);
  const server = await openWireServer(({ headers }) =>
    headers['x-api-key'] === KEY ? say('ready') : fail(401, { message: 'invalid x-api-key' }),
  );
  const env = { ANTHROPIC_BASE_URL: server.url, XDG_CONFIG_HOME: join(dir, 'config'), OKA_MODEL: undefined };
  const setup = (answers: string[], more: Record<string, string> = {}): Promise<Ran> =>
    okaWith({ env: { ...env, ...more }, answers }, 'model', 'setup', '--dir', dir);
  const secrets = async (): Promise<unknown> =>
    (JSON.parse((await okaWith({ env }, 'secrets', 'list', '--json', '--dir', dir)).out) as { secrets: unknown })
      .secrets;
  const used = (): string | undefined =>
    (JSON.parse(readFileSync(join(dir, '.oka/rules/config.json'), 'utf8')) as { models?: { use?: string } }).models
      ?.use;
  return { server, setup, secrets, used, [Symbol.asyncDispose]: () => server.close() };
}

describe('oka model setup', { timeout: 60_000 }, () => {
  it('asks for another key after a 401 of the model itself, and stores only the one that works, for its server', async () => {
    using folder = temporaryFolder();
    await using home = await prepare(folder.dir);
    const ran = await home.setup(['2', 'sk-wrong', 'claude-x', '', KEY, 'claude-x']);
    expect(ran).toMatchObject({
      code: 0,
      out: expect.stringMatching(/answered 401[^]*type another key[^]*It answered/),
    });
    expect(ran.out + ran.err).not.toContain(KEY);
    expect(home.used()).toBe('anthropic:claude-x');
    const host = new URL(home.server.url).host;
    expect(await home.secrets()).toMatchObject([
      { name: 'ANTHROPIC_API_KEY', version: 1, tools: ['model.complete'], hosts: [host] },
    ]);
  });

  it('stores what does not work only when the person wants it kept', async () => {
    using folder = temporaryFolder();
    await using home = await prepare(folder.dir);
    expect(await home.setup(['2', 'sk-wrong', 'claude-x', 'l'])).toMatchObject({ code: 1 });
    expect([home.used(), await home.secrets()]).toEqual([undefined, []]);
    expect(await home.setup(['2', 'sk-wrong', 'claude-x', 'keep'])).toMatchObject({ code: 0 });
    expect(home.used()).toBe('anthropic:claude-x');
    expect(await home.secrets()).toMatchObject([{ name: 'ANTHROPIC_API_KEY' }]);
  });

  it('uses a key of the environment without storing it, and does not go on without a key that is needed', async () => {
    using folder = temporaryFolder();
    await using home = await prepare(folder.dir);
    const without = await home.setup(['2', '', '']);
    expect(without).toMatchObject({
      code: 1,
      out: expect.stringMatching(/Which one\?[^]*Enter to go back[^]*Which one\?/),
    });
    const ran = await home.setup(['2', '', 'claude-x'], { ANTHROPIC_API_KEY: KEY });
    expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('Enter for the one that is set') });
    expect(await home.secrets()).toEqual([]);
  });

  it('says that a key has no spaces, that an address is none, and what to do without a terminal', async () => {
    using folder = temporaryFolder();
    await using home = await prepare(folder.dir);
    const ran = await home.setup(['seven', '4', 'ftp://x', '192.0.2.1:1/v1', 'two words']);
    expect(ran.out).toMatch(/number from 1 to 4[^]*not an address[^]*not encrypted[^]*no spaces/);
    expect(await oka('model', 'setup', '--dir', folder.dir)).toMatchObject({
      code: 3,
      err: expect.stringContaining('oka model use'),
    });
  });
});

describe('oka up', { timeout: 60_000 }, () => {
  it.each([
    ['with --no-setup', { answers: [] }, ['--no-setup']],
    ['with OKA_NO_SETUP', { answers: [], env: { OKA_NO_SETUP: '1' } }, []],
    ['on a build server', { answers: [], env: { CI: 'true' } }, []],
    ['in a container', { answers: [], env: { OKA_CONTAINER: '1' } }, []],
    ['when a model is set', { answers: [], env: { OKA_MODEL: 'ollama:x' } }, []],
    ['without a terminal', {}, []],
  ])('asks nothing %s', async (_when, options, words) => {
    expect(await startAndStop(options, words)).not.toContain('Which one?');
  });

  it('asks at a terminal, and goes on after Ctrl-C', async () => {
    const out = await startAndStop({ answers: [] }, []);
    expect(out).toMatch(/Which one\?[^]*oka model setup/);
  });
});

/** Until the first line about the inbox, or about what prevents the start; a stop file stands for the worker. */
async function startAndStop(options: Parameters<typeof okaWith>[0], words: string[]): Promise<string> {
  using folder = temporaryFolder();
  await oka('init', '--dir', folder.dir);
  writeFileSync(join(folder.dir, '.oka/STOP'), '');
  const stop = new AbortController();
  const env = { CI: undefined, OKA_MODEL: undefined, ...options.env };
  const onOut = (text: string): void => (text.includes('STOP is there') ? stop.abort() : undefined);
  const ran = await okaWith(
    { ...options, env, onOut, signal: stop.signal },
    'up',
    '--alone',
    '--dir',
    folder.dir,
    ...words,
  );
  expect(existsSync(join(folder.dir, '.oka/state/model-setup-later'))).toBe(false);
  return ran.out;
}
