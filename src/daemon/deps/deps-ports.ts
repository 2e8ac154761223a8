/** What the dependency manager needs from around it. */
import type { Engine } from '../../engine/engine.ts';
import type { Config } from '../../schema/config.ts';
import type { Need } from '../../schema/dependency.ts';
import type { Sandbox } from '../guard/sandbox.ts';
import type { LoadedPolicy } from '../guard/policy-file.ts';
import type { Home } from '../../schema/home.ts';
import type { Stores } from '../stores.ts';

export type DepsPorts = {
  home: Home;
  config: Config;
  stores: Stores;
  policy: () => LoadedPolicy;
  holding: Pick<Sandbox, 'holdInstaller' | 'holdLook'>;
  engine: () => Engine;
};

/** What something is called in INSTALL_REQUIREMENTS.md. */
export function nameOf({ name, package: from }: Need): string {
  return from?.startsWith('apt:') === true ? from.slice(4) : name;
}
