/**
 * The operator's settings of the package managers, as the proxy and as commands need them. The home folder of a command is
 * the desk, so its package managers do not find these settings by themselves.
 *
 * The package managers are asked again after a while, since an operator may change their settings while the process runs.
 */
import { readFile } from 'node:fs/promises';
import type { Home } from '../../core/schema/home.ts';
import { askPackageManagers, type PackageSettings } from './registries.ts';
import { packageEnvironment } from '../settings.ts';

const ASK_AGAIN_MS = 600_000;
const answers = new Map<string, { since: number; answer: Promise<PackageSettings> }>();

export function packageSettings({ dir }: Home): Promise<PackageSettings> {
  const env = packageEnvironment();
  const key = JSON.stringify([dir, env]);
  const now = performance.now();
  const before = answers.get(key);
  if (before !== undefined && now - before.since <= ASK_AGAIN_MS) return before.answer;
  const answer = askPackageManagers({ cwd: dir, env });
  answers.set(key, { since: now, answer });
  return answer;
}

/** The authorities that the operator's package managers trust, as PEM; a file that cannot be read has none. */
export async function packageAuthorities({ authorities }: PackageSettings): Promise<string[]> {
  const texts = await Promise.all(authorities.map((file) => readFile(file, 'utf8').catch(() => '')));
  return texts.filter((text) => text.includes('BEGIN CERTIFICATE'));
}

/** Lines for a user's npmrc, which npm, pnpm and yarn 1 read; a project's own file goes before it. */
export function npmrcLines({ npm }: PackageSettings): string {
  return Object.entries(npm)
    .map(([name, url]) => `${name}=${url}\n`)
    .join('');
}

/** For those that read no npmrc. */
export function registryVariables({ npm, pip }: PackageSettings): Record<string, string> {
  const { registry } = npm;
  return {
    ...(registry === undefined ? {} : { YARN_NPM_REGISTRY_SERVER: registry.replace(/\/$/, '') }),
    ...(pip.index === null ? {} : { PIP_INDEX_URL: pip.index }),
    ...(pip.extra.length === 0 ? {} : { PIP_EXTRA_INDEX_URL: pip.extra.join(' ') }),
  };
}
