/** The version of the program: which it is, whether there is a newer one, and the way to it and back. */
import { OkaError } from '../../core/schema/errors.ts';
import { answer, type Answer, command, type Commands, exits } from '../../kit/cli/command-module.ts';
import { flag, text } from '../../kit/cli/options.ts';
import { isSetUp } from '../../kit/home/is-set-up.ts';
import { programVersion } from '../../kit/settings.ts';
import { compareVersions, findRelease } from '../update/find-release.ts';
import { goBack, packageBase } from '../update/installed-versions.ts';
import type { Updated } from '../update/update-program.ts';

const fromOption = text('FILE', 'A tarball of a release, or a folder with some, instead of the registry.');

type VersionData = {
  version: string;
  /** How it came here. */
  installed: 'package' | 'checkout';
  /** Null when nobody asked. */
  latest: string | null;
  isNewer: boolean;
};

type UpdateData =
  | { state: 'updated'; from: string; to: string; isTried: boolean }
  | { state: 'back'; from: string; to: string }
  | { state: 'newest'; version: string };

export const commands: Commands = {
  version: command({
    summary: 'Show the version; with --check, exit 1 if there is a newer one',
    options: { check: flag('Ask the registry that npm is configured for.'), from: fromOption },
    example: 'oka version --check',
    run: async ({ options, signal }): Promise<Answer<VersionData>> => {
      const version = programVersion();
      const isAsked = options.check || options.from !== undefined;
      const latest = isAsked ? (await findRelease(options.from, signal)).version : null;
      const isNewer = latest !== null && compareVersions(latest, version) > 0;
      const installed = packageBase() === null ? 'checkout' : 'package';
      return answer({ version, installed, latest, isNewer }, isNewer ? exits.no : exits.ok);
    },
    render: ({ version, installed, latest, isNewer }) => {
      if (isNewer) return `oka ${version}; there is oka ${latest}. To use it: ${wayTo(installed)}\n`;
      return latest === null
        ? `oka ${version}, ${HOW[installed]}\n`
        : `oka ${version} is the newest (there is ${latest}).\n`;
    },
  }),
  update: command({
    summary: 'Install the newest version beside this one, try it with a copy of the home, switch to it',
    options: { from: fromOption, back: flag('Go back to the version before.') },
    example: 'oka update',
    run: async ({ home, options, signal, notify }): Promise<Answer<UpdateData>> => {
      const base = packageBase();
      if (base === null)
        throw new OkaError('refused', 'this is a checkout, not an installed package', {
          fix: 'Update it with: git pull && npm ci  (in a container: docker compose build, or another OKA_IMAGE)',
        });
      if (options.back) return answer({ state: 'back', ...goBack(base) });
      const release = await findRelease(options.from, signal);
      const version = programVersion();
      if (options.from === undefined && compareVersions(release.version, version) <= 0)
        return answer({ state: 'newest', version });
      const { updateProgram } = await import('../update/update-program.ts');
      const wish = { home: isSetUp(home) ? home : null, signal, onStep: notify };
      const updated: Updated = await updateProgram(base, release, wish);
      return answer({ state: 'updated', ...updated });
    },
    render: (data) => {
      if (data.state === 'newest') return `oka ${data.version} is the newest.\n`;
      const restart = 'What runs goes on with the old one until it is started again.\n';
      if (data.state === 'back') return `oka ${data.to} is back, instead of ${data.from}. ${restart}`;
      const tried = data.isTried ? 'It has examined a copy of the home' : 'There was no home here to try it with';
      return `oka ${data.to} is installed, beside ${data.from}. ${tried}.\n${restart}To go back: oka update --back\n`;
    },
  }),
};

const HOW = { package: 'an installed package', checkout: 'a checkout' } as const;

const wayTo = (installed: VersionData['installed']): string =>
  installed === 'package' ? 'oka update' : 'git pull && npm ci';
