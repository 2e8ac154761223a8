/** Detects whether what a step needs is there, and chooses how it can be provided. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { InstallInput, Need } from '../../core/schema/dependency.ts';
import type { Outcome } from '../../core/schema/tool.ts';
import { type Remedy, chooseRemedy } from './install/choose-remedy.ts';
import { type Dependencies, installedId } from '../../kit/requests/dependency-state.ts';
import { contentsOf } from './install/debian-contents.ts';
import { findPresent } from './install/find-present.ts';
import { shimFolder } from '../../kit/sandbox/tool-links.ts';
import { satisfies } from './install/versions.ts';
import { parseNeed } from './install/requires.ts';
import { type DepsPorts, nameOf } from './deps-ports.ts';
import { barePath } from '../../kit/sandbox/sandbox-environment.ts';
import { commandEnvironment } from '../../kit/settings.ts';
import type { VersionOf } from './version-of.ts';
import type { NeedFinder, Presence } from '../../kit/ports/dependencies-port.ts';

export type NeedChecks = NeedFinder & {
  remedyFor: (need: Need) => Remedy;
  /** Whether it is there, and new enough. */
  check: (need: Need) => Promise<Presence>;
  /** Whether a package is the one that meets the need. */
  isMetBy: (need: Need, input: Pick<InstallInput, 'by' | 'name'>) => boolean;
};

export function findNeeds(
  { home, config }: Pick<DepsPorts, 'home' | 'config'>,
  known: () => Dependencies,
  versionOf: VersionOf,
): NeedChecks {
  const tools = join(home.oka, 'tools');
  const machine = { os: process.platform, cpu: process.arch };
  const contents = contentsOf(home);
  const remedyFor = (need: Need): Remedy =>
    chooseRemedy(need, { machine, binaries: Object.keys(config.tools.binaries), contents });
  return { remedyFor, detect, check, isMetBy, waitForMissing };

  /** A package that the operator named is there when it is installed; everything else is searched for. */
  function detect(need: Need): Presence {
    const found = remedyFor(need);
    const receipt = found.kind === 'install' ? known().installed[installedId(found.input)] : undefined;
    if (receipt !== undefined && need.kind !== 'command' && existsSync(join(tools, receipt.folder))) {
      const { name, version, folder } = receipt;
      if (need.version === undefined || satisfies(version, need.version))
        return { there: true, seen: `${name} ${version} in .oka/tools/${folder}` };
      return { there: false, seen: `${name} ${version} is installed, and ${need.version} is needed` };
    }
    const { PATH = '', NODE_PATH = '' } = commandEnvironment(home);
    const path = config.sandbox === 'jail' ? barePath(home) : PATH.replace(`${shimFolder(tools)}:`, '');
    return findPresent(need, { path, python: join(tools, 'python'), modules: NODE_PATH });
  }

  /** A program that does not report its version counts as new enough; the step fails if it is not. */
  async function check(need: Need): Promise<Presence> {
    const seen = detect(need);
    if (!seen.there || need.kind !== 'command' || need.version === undefined) return seen;
    const version = await versionOf(seen.seen);
    if (version === null) return { there: true, seen: `${seen.seen}, which does not say which version it is` };
    const what = `${seen.seen} is version ${version}`;
    if (satisfies(version, need.version)) return { there: true, seen: what };
    return { there: false, seen: `${what}, and ${need.version} is needed` };
  }

  function isMetBy(need: Need, input: Pick<InstallInput, 'by' | 'name'>): boolean {
    const found = remedyFor(need);
    return found.kind === 'install' && installedId(found.input) === installedId(input);
  }

  async function waitForMissing(requires: readonly string[]): Promise<Outcome | null> {
    for (const text of requires) {
      const need = parseNeed(text);
      if (need === null)
        return {
          status: 'failed',
          error: `requires: "${text}" cannot be read; write jq, node:prettier, python:PyYAML or apt:ffmpeg`,
          temporary: false,
        };
      if (!(await check(need)).there)
        return { status: 'waiting', for: { kind: 'requirement', name: nameOf(need), need } };
    }
    return null;
  }
}
