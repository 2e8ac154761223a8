import { chmodSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withHost } from '../../../src/kit/house/host.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, vaultPlaces } from '../../../src/kit/settings.ts';
import { openHomeVault, vaultOf } from '../../../src/kit/vault/home-vault.ts';
import { withoutSecret, withValue } from '../../../src/kit/vault/vault-contents.ts';
import { readEvents } from '../../../src/core/ledger/read-events.ts';
import { temporaryFolder } from '../../support/cli.ts';

const NOW = '2030-01-01T00:00:00.000Z';
const folder = temporaryFolder();
const home = homeAt(join(folder.dir, 'home'));

beforeAll(() => {
  vi.stubEnv('XDG_CONFIG_HOME', join(folder.dir, 'config'));
  setUp(home);
});
afterAll(() => {
  vi.unstubAllEnvs();
  folder[Symbol.dispose]();
});

async function setSecret(name: string, value: string): Promise<void> {
  await (await vaultOf(home)).change((all) => withValue(all, name, value, NOW, { tools: ['shell'], hosts: [] }));
}

describe('the vault as a process holds it', () => {
  it('without a vault nothing is made and nothing is known', async () => {
    const held = await openHomeVault(home);
    expect(await held.find('A')).toBeNull();
    expect(held.redact('sesame-open-42')).toBe('sesame-open-42');
    expect(existsSync(vaultPlaces(home).key)).toBe(false);
  });

  it('V2 a value is known to redaction before a call gets it, and old ones stay known', async () => {
    const held = await openHomeVault(home);
    await setSecret('A', 'sesame-open-42');
    expect(await held.find('A')).toMatchObject({ value: 'sesame-open-42', version: 1, tools: ['shell'] });
    expect(held.redact('sesame-open-42')).toBe('[redacted:A]');
    await setSecret('A', 'sesame-closed-43');
    expect(await held.find('A')).toMatchObject({ value: 'sesame-closed-43', version: 2 });
    expect(held.redact('sesame-open-42 sesame-closed-43')).toBe('[redacted:A] [redacted:A]');
  });

  it('says what other processes changed since the last look', async () => {
    const held = await openHomeVault(home);
    expect(await held.refresh()).toEqual([]);
    await setSecret('A', 'sesame-again-44');
    await setSecret('B', 'another-value-1');
    expect(await held.refresh()).toEqual([
      { name: 'A', version: 3, change: 'rotated' },
      { name: 'B', version: 1, change: 'set' },
    ]);
    await (await vaultOf(home)).change((all) => withoutSecret(all, 'B', false));
    expect(await held.refresh()).toEqual([{ name: 'B', version: 1, change: 'removed' }]);
    expect(await held.find('B')).toBeNull();
    expect(held.redact('another-value-1')).toBe('[redacted:B]');
  });

  it('the holder of the pen writes down what others changed', async () => {
    await withHost(home, new AbortController().signal, async () => {
      await setSecret('C', 'while-it-runs-5');
      while (!(await changes()).includes('C')) await new Promise((resolve) => setTimeout(resolve, 20));
    });
    expect((await changes()).filter((name) => name === 'C')).toEqual(['C']);
  });
});

describe('a vault that cannot be opened', () => {
  const value = 'zK9-wQ2_vX7.pL4+mN8';

  it.each([
    ['whose key is missing', (key: string) => renameSync(key, `${key}.away`)],
    ['whose key is another one', (key: string) => writeFileSync(key, `AGE-SECRET-KEY-1${'Q'.repeat(58)}\n`)],
  ])('V1 %s stops only what needs a secret, and its values are still redacted', async (_, damage) => {
    await setSecret('A', 'sesame-open-42');
    await setSecret('D', value);
    const { key } = vaultPlaces(home);
    const before = readFileSync(key);
    damage(key);
    const held = await openHomeVault(home);
    expect(held.locked()).toMatch(/missing|another key|not contain|damaged/);
    expect(held.redact(`x ${value} sesame-open-42`)).toBe('x [redacted:D] [redacted:A]');
    await expect(held.find('D')).rejects.toThrow(held.locked() ?? '');
    expect(await held.find('OTHER')).toBeNull();
    writeFileSync(key, before, { mode: 0o600 });
    await held.refresh();
    expect(held.locked()).toBeNull();
    expect(await held.find('D')).toMatchObject({ value });
  });

  it('V1 stops everything when a value could not be recognised, or when the vault is not the one that was read', async () => {
    await setSecret('A', 'sesame-open-42');
    const { key, file } = vaultPlaces(home);
    rmSync(dirname(key), { recursive: true });
    await expect(openHomeVault(home)).rejects.toThrow(/the values of A.* cannot be recognised/);
    writeFileSync(file, readFileSync(file).subarray(1));
    await expect(openHomeVault(home)).rejects.toThrow(/is missing: neither/);
  });
});

async function changes(): Promise<string[]> {
  const names: string[] = [];
  for await (const event of readEvents(home.ledgers.run, { type: 'secret.changed' }))
    if (event.type === 'secret.changed') names.push(event.data.name);
  return names;
}

it.skipIf(process.getuid?.() !== 0)('whose key belongs to another user is refused in a sentence', async () => {
  using own = temporaryFolder();
  vi.stubEnv('XDG_CONFIG_HOME', join(own.dir, 'config'));
  const foreign = homeAt(join(own.dir, 'home'));
  setUp(foreign);
  await (await vaultOf(foreign)).change((all) =>
    withValue(all, 'A', 'sesame-locked-45', NOW, { tools: [], hosts: [] }),
  );
  chmodSync(own.dir, 0o755);
  process.seteuid?.(4711);
  try {
    await expect(openHomeVault(foreign)).rejects.toThrow('not accessible to this user');
  } finally {
    process.seteuid?.(0);
  }
});
