/**
 * What `oka doctor` reports about models: whether those that are set could be called. Calls nothing, and asks nobody for
 * a passphrase: a key that may be in a vault behind one counts as there.
 */
import { existsSync } from 'node:fs';
import { findSettingProblems } from '../../kit/models/setting-problems.ts';
import { type ModelsSettings, namesIn } from '../../kit/models/model-settings.ts';
import { nameOf } from '../../kit/models/model-name.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ProviderDefinition } from '../../core/schema/model-provider.ts';
import { vaultOf } from '../../kit/vault/home-vault.ts';
import { vaultPlaces } from '../../kit/settings.ts';
import { type FindSecret, modelSettings } from '../../kit/models/home-models.ts';

const what = 'models';

export async function modelFindings(
  home: Home,
  config: Config,
  providers: readonly ProviderDefinition[],
): Promise<Finding[]> {
  const secrets = { find: secretFinder(home), redact: (text: string) => text };
  const settings = modelSettings(home, config, providers, secrets);
  if (await needsPassphrase(home)) settings.vault = () => Promise.resolve('unread');
  const problems = await findSettingProblems(settings);
  if (problems.length === 0) return [{ state: 'good', what, found: describeModels(settings) }];
  return problems.map(({ message, fix }) => ({ state: 'bad', what, found: message, fix }));
}

function describeModels(settings: ModelsSettings): string {
  const names = Object.entries(namesIn(settings)).map(([role, name]) => `${nameOf(name)} (${role})`);
  return names.length === 0 ? 'none is set; tasks that are runbooks need none' : names.join(', ');
}

async function needsPassphrase(home: Home): Promise<boolean> {
  const places = vaultPlaces(home);
  if (!existsSync(places.file)) return false;
  const { findIdentity } = await import('../../kit/vault/vault-identity.ts');
  try {
    return findIdentity(places)?.wrapped === true;
  } catch {
    return false; // reported by the finding about the vault
  }
}

/** Reads the vault when the first key is needed. */
function secretFinder(home: Home): FindSecret {
  return async (name) => {
    const contents = await (await vaultOf(home)).read();
    const secret = contents?.secrets[name];
    return secret?.value == null ? null : { value: secret.value, hosts: secret.hosts };
  };
}
