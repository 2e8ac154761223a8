/**
 * Owns: the way to another version: fetched, installed beside the one that runs, tried with a copy of the home, switched to.
 *
 * P1 Nothing of the home is changed, and the version that runs stays until the other one has read the copy as well as it does.
 * P2 Scripts of packages are not run.
 */
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder, writeProblem } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';
import { copyHome } from '../../rooms/backup/copy-home.ts';
import { runProgram } from '../../kit/run-program.ts';
import type { Release } from './find-release.ts';
import {
  currentName,
  folderOf,
  keepVersion,
  sweepVersions,
  switchTo,
  unfinishedPrefix,
  versionIn,
} from './installed-versions.ts';

export type Updated = {
  from: string;
  to: string;
  /** Whether the next version has examined a copy of the home; there may be none. */
  isTried: boolean;
};

type Wish = {
  /** Null when there is no home to try it with. */
  home: Home | null;
  signal: AbortSignal;
  onStep: (what: string) => void;
};

/** Nothing but Node is fetched. Where no registry answers, npm would ask for five minutes before it does without. */
const IMPATIENT = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];

export async function updateProgram(base: string, release: Release, { home, signal, onStep }: Wish): Promise<Updated> {
  const problem = writeProblem(join(base, 'versions'));
  if (problem !== null)
    throw new OkaError('not-permitted', `this user cannot write ${base}, where oka is installed`, {
      fix: `Whoever has installed it can: oka update, or npm install --global oka@${release.version}`,
      cause: problem,
    });
  const running = folderOf(base, currentName(base));
  const from = versionIn(running);
  sweepVersions(base);
  const name = await installBeside(base, release, { signal, onStep });
  if (home !== null) {
    onStep('trying it with a copy of the home');
    await tryVersion(running, folderOf(base, name), home, signal);
  }
  switchTo(base, name);
  sweepVersions(base);
  return { from, to: release.version, isTried: home !== null };
}

async function installBeside(base: string, release: Release, { signal, onStep }: Omit<Wish, 'home'>): Promise<string> {
  const prefix = unfinishedPrefix(base);
  mkdirSync(prefix, { recursive: true });
  try {
    onStep(`fetching oka ${release.version}`);
    const tarball = await release.tarball(prefix, signal);
    const name = `${release.version}-${hash('sha256', readFileSync(tarball)).slice(0, 8)}`;
    onStep(`installing oka ${release.version} beside it`);
    const words = [
      'install',
      '--global',
      '--prefix',
      prefix,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      ...IMPATIENT,
    ];
    const { code, err } = await runProgram('npm', [...words, tarball], { signal, cwd: prefix });
    if (code !== 0) throw new OkaError('refused', `npm could not install it:\n${err.trim().slice(-2000)}`);
    const started = await runProgram(join(prefix, 'bin', 'oka'), ['--version'], { signal });
    if (started.code !== 0 || started.out.trim() !== release.version)
      throw new OkaError('refused', `oka ${release.version} does not start here: ${started.err.trim().slice(0, 1000)}`);
    keepVersion(base, name);
    return name;
  } finally {
    rmSync(prefix, { recursive: true, force: true });
  }
}

/** Both versions examine the same copy: what both find wrong is not the fault of the next one. */
async function tryVersion(running: string, next: string, home: Home, signal: AbortSignal): Promise<void> {
  const cache = join(home.oka, 'cache');
  for (const left of listFolder(cache).filter((name) => name.startsWith('update-')))
    rmSync(join(cache, left), { recursive: true, force: true });
  const copy = join(cache, `update-${process.pid}`);
  try {
    copyHome(home, copy, signal);
    const before = await examine(running, copy, signal);
    const after = await examine(next, copy, signal);
    const known = new Set(before?.map(({ what }) => what));
    const worse = after?.filter(({ what }) => !known.has(what));
    if (worse?.length === 0) return;
    const list =
      worse?.map(({ what, found }) => `\n  ${what}: ${found}`).join('') ?? ' its doctor ended without an answer';
    throw new OkaError(
      'refused',
      `the next version finds faults in a copy of ${home.dir} that this one does not:${list}`,
      {
        fix: 'Nothing was changed: the version before goes on.',
      },
    );
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

type Fault = Pick<Finding, 'what' | 'found'>;

/** What a version finds wrong in a home; null if it cannot say. */
async function examine(folder: string, dir: string, signal: AbortSignal): Promise<Fault[] | null> {
  const { out } = await runProgram(join(folder, 'bin', 'oka'), ['doctor', '--deep', '--json', '--dir', dir], {
    signal,
  });
  try {
    const { findings } = JSON.parse(out) as { findings: Finding[] };
    return findings.filter(({ state }) => state === 'bad');
  } catch {
    return null;
  }
}
