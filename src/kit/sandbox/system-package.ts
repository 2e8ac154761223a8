/** The command with which a person installs packages on a machine, by the package manager that it has. Pure. */
import type { Need } from '../../core/schema/dependency.ts';

/** In this order: some machines have several. */
export const PACKAGE_MANAGERS = ['apt-get', 'dnf', 'pacman', 'apk', 'zypper', 'brew'] as const;
type PackageManager = (typeof PACKAGE_MANAGERS)[number];
export type Machine = { manager: PackageManager; isRoot: boolean };

const INSTALL: Record<PackageManager, string> = {
  'apt-get': 'apt-get install',
  dnf: 'dnf install',
  pacman: 'pacman -S',
  apk: 'apk add',
  zypper: 'zypper install',
  brew: 'brew install',
};
const NAME = /^[A-Za-z0-9][A-Za-z0-9+.@/-]*$/;

/** Null when nobody knows a package. The packages we know are those of Debian; elsewhere a program often has its own name. */
export function installCommand(
  { manager, isRoot }: Machine,
  need: Pick<Need, 'kind' | 'name'>,
  debianPackages: readonly string[],
): string | null {
  const wanted = manager === 'apt-get' ? debianPackages : need.kind === 'command' ? [need.name] : [];
  const names = wanted.filter((name) => NAME.test(name));
  if (names.length === 0) return null;
  return `${isRoot || manager === 'brew' ? '' : 'sudo '}${INSTALL[manager]} ${names.join(' ')}`;
}
