/**
 * Owns: which launcher this installation uses: the one built here, else the prebuilt one that came with the package.
 *
 * N1 A prebuilt launcher is used only if its hash is the recorded one and it was built from the sources next to it.
 * N2 Every process that runs commands goes through `prepareLauncher`, which builds one where none can be used.
 */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../core/schema/errors.ts';
import { programFolder } from '../settings.ts';

export type Launcher = {
  /** Where it is, or would be. */
  path: string;
  origin: 'built' | 'prebuilt' | 'none';
  /** Why there is none, or why the prebuilt one was passed over. */
  problem: string | null;
};

type Manifest = { sources: string; files: Readonly<Record<string, { sha256: string } | undefined>> };
const BUILD_MS = 120_000;
export const nativeFolder = join(programFolder, 'native');

let found: Launcher | null = null;
let prepared: Promise<Launcher> | null = null;

/** The launcher as it is now. */
export const launcherPath = (): string => (found ??= findLauncher(nativeFolder)).path;

/** Finds the launcher and builds it if there is none; tried once in the lifetime of a process. */
export function prepareLauncher(): Promise<Launcher> {
  prepared ??= makeLauncher(nativeFolder).then((launcher) => (found = launcher));
  return prepared;
}

export async function makeLauncher(folder: string, arch: string = process.arch): Promise<Launcher> {
  const first = findLauncher(folder, arch);
  const script = join(folder, 'build.js');
  if (first.origin !== 'none' || !existsSync(script)) return first;
  try {
    await promisify(execFile)(process.execPath, [script], { timeout: BUILD_MS });
    return findLauncher(folder, arch);
  } catch (error) {
    return { ...first, problem: [first.problem, buildProblem(error)].filter(Boolean).join('; ') };
  }
}

export function findLauncher(folder: string, arch: string = process.arch): Launcher {
  const path = join(folder, 'oka-launch');
  const sources = sourcesIn(folder);
  const builtAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (builtAt > 0 && sources.every((file) => statSync(file).mtimeMs <= builtAt))
    return { path, origin: 'built', problem: null };
  const prebuilt = join(folder, 'prebuilt', `oka-launch-${arch}`);
  const problem = prebuiltProblem(folder, prebuilt, arch, sources);
  if (problem === null) return { path: prebuilt, origin: 'prebuilt', problem };
  return { path, origin: 'none', problem };
}

/** Why the prebuilt launcher cannot be used (N1), or null. */
function prebuiltProblem(folder: string, file: string, arch: string, sources: readonly string[]): string | null {
  try {
    const manifest = JSON.parse(readFileSync(join(folder, 'prebuilt', 'manifest.json'), 'utf8')) as Manifest;
    const wanted = manifest.files[arch];
    if (wanted === undefined || process.platform !== 'linux')
      return `no prebuilt launcher for ${process.platform} on ${arch}`;
    if (hash('sha256', readFileSync(file)) !== wanted.sha256) return `${file} does not have its recorded hash`;
    const ours = hash('sha256', Buffer.concat(sources.map((source) => readFileSync(source))));
    if (sources.length > 0 && ours !== manifest.sources) return 'the prebuilt launcher is not from these sources';
    accessSync(file, constants.X_OK);
    return null;
  } catch (error) {
    return `no prebuilt launcher can be used: ${messageOf(error)}`;
  }
}

function sourcesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.[ch]$/.test(name))
    .toSorted()
    .map((name) => join(folder, name));
}

function buildProblem(error: unknown): string {
  const stderr = typeof error === 'object' && error !== null && 'stderr' in error ? String(error.stderr).trim() : '';
  return stderr === '' ? messageOf(error) : (stderr.split('\n')[0] ?? '');
}
