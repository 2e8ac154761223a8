import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, vaultPlaces } from '../../../src/kit/settings.ts';
import { vaultFinding } from '../../../src/rooms/approvals/vault-finding.ts';
import { vaultOf } from '../../../src/kit/vault/home-vault.ts';
import { withValue } from '../../../src/kit/vault/vault-contents.ts';
import { temporaryFolder } from '../../support/cli.ts';

it('the doctor says whether the vault opens, and what to do when it does not; never what is in it', async () => {
  using folder = temporaryFolder();
  vi.stubEnv('XDG_CONFIG_HOME', join(folder.dir, 'config'));
  const home = homeAt(join(folder.dir, 'home'));
  setUp(home);
  const { file, key } = vaultPlaces(home);
  const told: string[] = [];
  const found = async (): Promise<[string, string]> => {
    const finding = await vaultFinding(home);
    told.push(JSON.stringify(finding));
    return [finding.state, `${finding.found} → ${finding.fix ?? 'nothing to do'}`];
  };

  expect(await found()).toEqual(['good', expect.stringContaining('none yet')]);
  const rules = { tools: ['shell'], hosts: [] };
  await (await vaultOf(home)).change((all) =>
    withValue(all, 'TOKEN', 'open-sesame-9', '2030-01-01T00:00:00.000Z', rules),
  );
  expect(await found()).toEqual(['good', `${file} opens; 1 secret → nothing to do`]);

  chmodSync(key, 0o644);
  expect(await found()).toEqual(['bad', expect.stringContaining(`Run: chmod 600 ${key}`)]);
  chmodSync(key, 0o600);
  chmodSync(file, 0o666);
  expect(await found()).toEqual(['odd', expect.stringContaining(`→ chmod 600 ${file}`)]);
  chmodSync(file, 0o600);

  const whole = readFileSync(file);
  writeFileSync(file, whole.subarray(0, whole.length - 20));
  expect(await found()).toEqual(['bad', expect.stringMatching(/damaged.* → Restore it from a backup/)]);
  writeFileSync(file, whole);
  renameSync(key, `${key}.away`);
  expect(await found()).toEqual(['bad', expect.stringMatching(/is missing.* → Put the key back/)]);
  writeFileSync(key, '-----BEGIN AGE ENCRYPTED FILE-----\n', { mode: 0o600 });
  expect(await found()).toEqual(['good', expect.stringContaining('passphrase')]);
  rmSync(file);
  mkdirSync(file);
  expect(await found()).toEqual(['bad', expect.stringContaining('not a regular file')]);
  expect(told.join()).not.toContain('sesame');
  vi.unstubAllEnvs();
});
