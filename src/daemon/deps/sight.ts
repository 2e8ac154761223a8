/** What there is to see of a need: whether it is there, and by which way it can be had. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { InstallInput, Need } from '../../schema/dependency.ts';
import type { Outcome } from '../../schema/tool.ts';
import { type Way, wayTo } from '../../tools/deps/decide.ts';
import { type Dependencies, idOf } from '../../tools/deps/kept.ts';
import { type Sight, sightOf } from '../../tools/deps/present.ts';
import { needIn } from '../../tools/deps/requires.ts';
import { type DepsPorts, nameOf } from './ports.ts';
import { reachablePath } from '../hold.ts';
import { commandEnvironment } from '../settings.ts';

export type Seeing = {
  way: (need: Need) => Way;
  sight: (need: Need) => Sight;
  /** Whether a package is the one that meets the need. */
  isMetBy: (need: Need, input: Pick<InstallInput, 'by' | 'name'>) => boolean;
  /** What a task says it needs and is not there, as the outcome that waits for it; null when all is there. */
  lacking: (requires: readonly string[]) => Outcome | null;
};

export function seeingWith({ home, config }: Pick<DepsPorts, 'home' | 'config'>, known: () => Dependencies): Seeing {
  const tools = join(home.oka, 'tools');
  const machine = { os: process.platform, cpu: process.arch };
  const way = (need: Need): Way => wayTo(need, { machine, binaries: Object.keys(config.tools.binaries) });
  return { way, sight, isMetBy, lacking };

  /** A package that the operator named is there when it is installed; everything else is looked for. */
  function sight(need: Need): Sight {
    const found = way(need);
    const receipt = found.kind === 'install' ? known().installed[idOf(found.input)] : undefined;
    if (receipt !== undefined && need.kind !== 'command' && existsSync(join(tools, receipt.folder)))
      return { there: true, seen: `${receipt.name} ${receipt.version} in .oka/tools/${receipt.folder}` };
    const { PATH = '', NODE_PATH = '' } = commandEnvironment(home);
    const path = config.sandbox === 'jail' ? reachablePath(home) : PATH;
    return sightOf(need, { path, python: join(tools, 'python'), modules: NODE_PATH });
  }

  function isMetBy(need: Need, input: Pick<InstallInput, 'by' | 'name'>): boolean {
    const found = way(need);
    return found.kind === 'install' && idOf(found.input) === idOf(input);
  }

  function lacking(requires: readonly string[]): Outcome | null {
    for (const text of requires) {
      const need = needIn(text);
      if (need === null)
        return {
          status: 'failed',
          error: `requires: "${text}" cannot be read; write jq, node:prettier, python:PyYAML or apt:ffmpeg`,
          temporary: false,
        };
      if (!sight(need).there) return { status: 'waiting', for: { kind: 'requirement', name: nameOf(need), need } };
    }
    return null;
  }
}
