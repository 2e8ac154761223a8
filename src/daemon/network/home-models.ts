/** Owns: the models of a home: what is set about them, with keys out of the vault. */
import { join } from 'node:path';
import { type Models, modelsFrom } from '../../models/role-models.ts';
import type { ModelsSettings } from '../../models/model-settings.ts';
import type { Config } from '../../schema/config.ts';
import { OkaError } from '../../schema/errors.ts';
import type { EgressRoutes } from './egress-routes.ts';
import { modelEnvironment } from '../settings.ts';
import type { Home } from '../../schema/home.ts';
import type { HomeVault } from '../guard/home-vault.ts';

export function modelsOf(
  home: Home,
  config: Config,
  vault: Pick<HomeVault, 'find' | 'redact'>,
  route: EgressRoutes['models'] = {},
): Models {
  const settings: ModelsSettings = {
    environment: modelEnvironment(),
    config: config.models,
    vault: async (name, host) => {
      const held = await vault.find(name);
      if (held === null) return null;
      if (held.hosts.includes(host)) return held.value;
      throw new OkaError('refused', `the secret ${name} may not be given to ${host}`, {
        fix: `Allow it: oka secrets set ${name} --host ${host} --tool model.complete`,
      });
    },
    folder: home.dir,
    cassettes: join(home.oka, 'cassettes'),
    redact: vault.redact,
  };
  return modelsFrom(settings, route);
}
