import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandCredentials } from '../../../src/kit/vault/command-credentials.ts';
import { environmentCredentials } from '../../../src/kit/vault/environment-credentials.ts';
import { openHomeVault, vaultOf } from '../../../src/kit/vault/home-vault.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, vaultPlaces } from '../../../src/kit/settings.ts';
import { withValue } from '../../../src/kit/vault/vault-contents.ts';
import { CredentialsConfig } from '../../../src/core/schema/credential.ts';
import { setEnvironment, temporaryFolder } from '../../support/cli.ts';
import { credentialContract } from '../../support/credential-contract.ts';

const rules = { tools: ['shell'], hosts: ['api.example.org'] };
const fingerprint = (value: string): string => Buffer.from(value.padEnd(16, '.')).toString('hex').slice(-32);

function newFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.dir;
}

describe('the vault as a source of secrets', () => {
  credentialContract(async () => {
    const dir = newFolder();
    onTestFinished(setEnvironment({ XDG_CONFIG_HOME: join(dir, 'config') }));
    const home = homeAt(join(dir, 'home'));
    setUp(home);
    const vault = await vaultOf(home);
    const set = (value: string) =>
      vault.change((all) => withValue(all, 'TOKEN', value, '2030-01-01T00:00:00.000Z', rules));
    return { provider: await openHomeVault(home), set, damage: () => rmSync(vaultPlaces(home).key) };
  });
});

describe('the environment as a source of secrets', () => {
  credentialContract(() => {
    const variables: Record<string, string> = {};
    const sources = CredentialsConfig.parse({ TOKEN: { env: 'SOME_TOKEN', ...rules } });
    return {
      provider: environmentCredentials(sources, () => variables, fingerprint),
      set: (value) => void (variables['SOME_TOKEN'] = value),
      damage: () => void delete variables['SOME_TOKEN'],
    };
  });
});

type Setting = { command: string[]; timeout_seconds?: number };

function commands(setting: Setting, workspace = '/nowhere') {
  let now = 0;
  const sources = CredentialsConfig.parse({ TOKEN: { ...setting, ...rules } });
  const provider = commandCredentials(sources, {
    workspace,
    variables: () => ({ PATH: process.env['PATH'] ?? '' }),
    clock: () => now,
    fingerprint,
  });
  return { provider, pass: (ms: number) => void (now += ms) };
}

describe('a command as a source of secrets', () => {
  credentialContract(() => {
    const file = join(newFolder(), 'value');
    const { provider, pass } = commands({ command: ['cat', file] });
    return {
      provider,
      set: (value) => {
        pass(60_000);
        writeFileSync(file, `${value}\n`);
      },
      damage: () => {
        pass(60_000);
        rmSync(file);
      },
    };
  });

  it('is run once for requests at the same time and for a minute after', async () => {
    const file = join(newFolder(), 'runs');
    const { provider, pass } = commands({
      command: ['bash', '-c', `echo x >> ${file}; echo blue-harbour-$(wc -l < ${file})x`],
    });
    const value = async (): Promise<string | undefined> => (await provider.find('TOKEN'))?.value;
    expect(await Promise.all([value(), value()])).toEqual(['blue-harbour-1x', 'blue-harbour-1x']);
    pass(59_000);
    expect(await value()).toBe('blue-harbour-1x');
    pass(1_000);
    expect(await value()).toBe('blue-harbour-2x');
  });

  const problems: [string, Setting, RegExp][] = [
    [
      'fails',
      { command: ['bash', '-c', 'echo blue-harbour-93x; echo green-valley >&2; exit 7'] },
      /ended with exit code 7/,
    ],
    ['prints nothing', { command: ['true'] }, /printed nothing/],
    ['prints too much', { command: ['bash', '-c', 'yes blue-harbour-93x | head -c 300000'] }, /more than a secret/],
    ['is not there', { command: ['no-such-program-93x'] }, /could not be started/],
  ];
  it.each(problems)('that %s is an error that quotes nothing of what it has printed', async (_, setting, expected) => {
    const failed = await commands(setting)
      .provider.find('TOKEN')
      .catch((error: unknown) => error);
    expect(failed).toMatchObject({ message: expect.stringMatching(expected) });
    expect((failed as Error).message).not.toMatch(/blue-harbour|green-valley/);
  });

  it('ends by its time limit, with everything it has started', async () => {
    const file = join(newFolder(), 'late');
    const command = ['bash', '-c', `(sleep 2; echo late > ${file}) & sleep 30`];
    const failed = await commands({ command, timeout_seconds: 0.2 }).provider.find('TOKEN').catch(String);
    expect(failed).toMatch(/took longer than 0\.2 s/);
    await new Promise((done) => setTimeout(done, 2200));
    expect(existsSync(file)).toBe(false);
  });

  it('is not run from the folder of tasks', async () => {
    const dir = newFolder();
    const program = join(dir, 'desk/token');
    await expect(commands({ command: [program] }, dir).provider.find('TOKEN')).rejects.toThrow(/is in the workspace/);
    await expect(commands({ command: [program] }).provider.find('TOKEN')).rejects.toThrow(/could not be started/);
  });
});

it('a setting names one source, and a program by its name or its absolute path', () => {
  const parse = (source: object) => CredentialsConfig.safeParse({ TOKEN: source }).success;
  expect([parse({ env: 'A' }), parse({ command: ['pass', 'show', 'a'] }), parse({ command: ['/opt/bin/op'] })]).toEqual(
    [true, true, true],
  );
  expect([
    parse({}),
    parse({ env: 'A', command: ['pass'] }),
    parse({ command: ['./pass'] }),
    parse({ command: [] }),
  ]).toEqual([false, false, false, false]);
});
