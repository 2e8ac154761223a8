import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { findingsOf } from '../../../src/kit/house/doctor.ts';
import { vaultOf } from '../../../src/kit/vault/home-vault.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { network } from '../../../src/rooms/models/room.ts';
import { rooms } from '../../../src/app/rooms.ts';
import { homeAt, vaultPlaces } from '../../../src/kit/settings.ts';
import { withValue } from '../../../src/kit/vault/vault-contents.ts';
import { temporaryFolder } from '../../support/cli.ts';

it('the doctor says which model could not be called, and why, before the first task needs it', async () => {
  using folder = temporaryFolder();
  vi.stubEnv('XDG_CONFIG_HOME', join(folder.dir, 'config'));
  vi.stubEnv('ANTHROPIC_API_KEY', '');
  vi.stubEnv('OKA_MODEL', '');
  const home = homeAt(join(folder.dir, 'home'));
  setUp(home);
  const found = async (model: string): Promise<string[]> => {
    vi.stubEnv('OKA_MODEL', model);
    const providers = rooms.filter((room) => room.providers !== undefined);
    const lines = await findingsOf(home, [
      network,
      ...providers.map((room) => ({ ...room, findings: async () => [] })),
    ]);
    return lines.map((line) => `${line.state}: ${line.found} → ${line.fix ?? 'nothing to do'}`);
  };

  expect(await found('')).toEqual(['good: none is set; tasks that are runbooks need none → nothing to do']);
  expect(await found('gpt-5')).toEqual([expect.stringContaining('bad: OKA_MODEL: "gpt-5" names no provider')]);
  expect(await found('anthropic:m')).toEqual([
    expect.stringMatching(/^bad: there is no key for anthropic:m → Run: oka secrets set ANTHROPIC_API_KEY/u),
  ]);
  const rules = { tools: ['model.complete'], hosts: ['api.anthropic.com'] };
  await (await vaultOf(home)).change((all) =>
    withValue(all, 'ANTHROPIC_API_KEY', 'open-sesame-9', '2030-01-01T00:00:00.000Z', rules),
  );
  expect(await found('anthropic:m')).toEqual(['good: anthropic:m (default) → nothing to do']);
  writeFileSync(vaultPlaces(home).key, '-----BEGIN AGE ENCRYPTED FILE-----\n', { mode: 0o600 });
  expect(await found('anthropic:m')).toEqual(['good: anthropic:m (default) → nothing to do']);
  vi.unstubAllEnvs();
});
