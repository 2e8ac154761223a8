/** Owns: the models of a home: what is set about them, with keys out of the vault. */
import { join } from 'node:path';
import { type Models, modelsFrom } from './role-models.ts';
import type { ModelsSettings } from './model-settings.ts';
import type { Config } from '../../core/schema/config.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { ProviderDefinition } from '../../core/schema/model-provider.ts';
import type { Redact } from '../../core/schema/ports.ts';
import type { EgressRoutes } from '../egress/egress-routes.ts';
import { modelEnvironment } from '../settings.ts';
import type { Home } from '../../core/schema/home.ts';
import type { HomeVault } from '../vault/home-vault.ts';

/** How a key is looked up in the vault. */
export type FindSecret = (name: string) => Promise<{ value: string; hosts: readonly string[] } | null>;

export function modelsOf(
  home: Home,
  config: Config,
  vault: Pick<HomeVault, 'find' | 'redact'>,
  providers: readonly ProviderDefinition[],
  route: EgressRoutes['models'] = {},
): Models {
  return modelsFrom(modelSettings(home, config, providers, vault), route);
}

export function modelSettings(
  home: Home,
  config: Config,
  providers: readonly ProviderDefinition[],
  vault: { find: FindSecret; redact: Redact },
): ModelsSettings {
  return {
    providers,
    environment: modelEnvironment(providers),
    config: config.models,
    vault: async (name, host) => {
      const secret = await vault.find(name);
      if (secret === null) return null;
      if (secret.hosts.includes(host)) return secret.value;
      throw new OkaError('refused', `the secret ${name} may not be given to ${host}`, {
        fix: Object.hasOwn(config.credentials, name)
          ? `Allow it: add ${host} to credentials.${name}.hosts in ${home.config}`
          : `Allow it: oka secrets set ${name} --host ${host} --tool model.complete`,
      });
    },
    folder: home.dir,
    cassettes: join(home.oka, 'cassettes'),
    redact: vault.redact,
  };
}
