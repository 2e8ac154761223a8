import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openHomeVault } from '../../../src/kit/vault/home-vault.ts';
import { modelSettings } from '../../../src/kit/models/home-models.ts';
import { loadRoomsConfig } from '../../../src/kit/house/room-config.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { okaWith, setEnvironment, temporaryFolder } from '../../support/cli.ts';

const VALUE = 'blue-harbour-93x';

function newHome(credentials: object): Home {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  onTestFinished(setEnvironment({ XDG_CONFIG_HOME: join(folder.dir, 'config') }));
  const home = homeAt(join(folder.dir, 'home'));
  setUp(home);
  writeFileSync(home.config, JSON.stringify({ credentials, memory: { cap: 0, vectors: false } }));
  mkdirSync(join(folder.dir, 'config'), { recursive: true });
  writeFileSync(join(folder.dir, 'value'), `${VALUE}\n`);
  return home;
}

const command = ['bash', '-c', `cat "$XDG_CONFIG_HOME/../value"`];
const shell = { tools: ['shell'], hosts: ['api.example.org'] };

const inEnvironment = { TOKEN: { from: 'secret:TOKEN', as: 'env' } };

/** Runs a graph with one command, which gets the secret TOKEN in its environment. */
async function graphRun(home: Home, line: string, env: Record<string, string> = {}, secrets: object = inEnvironment) {
  const bounds = { timeout_seconds: 30, max_retries: 0 };
  const send = { id: 'send', kind: 'tool', tool: 'shell', input: { line, secrets }, ...bounds };
  const file = join(home.dir, 'graph.json');
  writeFileSync(file, JSON.stringify({ id: 'sending', nodes: [send] }));
  const ran = await okaWith({ env }, 'graph', 'run', file, '--id', 'r1', '--dir', home.dir);
  return { ...ran, ledger: readFileSync(home.ledgers.run, 'utf8') };
}

it.each([
  ['a command', { command, ...shell }, {}],
  ['the environment', { env: 'OKA_TEST_TOKEN', ...shell }, { OKA_TEST_TOKEN: VALUE }],
])(
  'a step gets a secret from %s as one from the vault: by its rules, recorded, and redacted',
  async (_, source, env) => {
    const { code, out, err, ledger } = await graphRun(
      newHome({ TOKEN: source }),
      'echo "it is $TOKEN"; test -n "$TOKEN"',
      env,
    );
    expect(code, out + err).toBe(0);
    expect(ledger).toMatch(/"type":"secret\.used".*"name":"TOKEN"/);
    expect(ledger).toContain('it is [redacted:TOKEN]');
    expect(`${ledger}${out}${err}`).not.toContain(VALUE);
  },
);

it('a tool that its rules do not name does not get it', async () => {
  const home = newHome({ TOKEN: { command, tools: ['http.request'] } });
  const { code, ledger } = await graphRun(home, 'echo "$TOKEN"');
  expect(code).not.toBe(0);
  expect(ledger).toContain('may not be given to shell, only to http.request');
});

it('one that cannot be read is reported at the start, without its output, and only what needs it fails', async () => {
  const home = newHome({ TOKEN: { command: ['bash', '-c', `echo ${VALUE} >&2; exit 3`], ...shell } });
  const { code, out, err, ledger } = await graphRun(home, 'echo "$TOKEN"');
  expect(err).toMatch(/credentials: the command that prints the secret TOKEN \(bash\) ended with exit code 3/);
  expect(code).not.toBe(0);
  expect(`${ledger}${out}${err}`).not.toContain(VALUE);
});

it('redaction knows it before anything runs, also in a step that has not asked for it', async () => {
  const home = newHome({ TOKEN: { command, ...shell } });
  writeFileSync(join(home.workspace, 'desk/found.txt'), VALUE);
  const { code, ledger } = await graphRun(home, 'cat found.txt', {}, {});
  expect(code).toBe(0);
  expect(ledger).toContain('[redacted:TOKEN]');
  expect(ledger).not.toContain(VALUE);
});

it('the key of a model comes from there, too, for the hosts that are named', async () => {
  const home = newHome({ OPENAI_API_KEY: { command, hosts: ['api.openai.com'] } });
  const config = await loadRoomsConfig(home);
  const settings = modelSettings(home, config, [], await openHomeVault(home, config.credentials));
  expect(await settings.vault?.('OPENAI_API_KEY', 'api.openai.com')).toBe(VALUE);
  await expect(settings.vault?.('OPENAI_API_KEY', 'other.example.org')).rejects.toMatchObject({
    fix: expect.stringContaining('credentials.OPENAI_API_KEY.hosts'),
  });
});
