/**
 * Owns: which version of an installed package runs. Does not own: where a version comes from (find-release.ts).
 *
 * The package that npm has installed stays as it is. Versions that `oka update` adds are in its folder `versions`, each as
 * npm installs it below a prefix, and the link `versions/current` names the one that runs; without it the package itself does
 * (bin/oka). So npm replaces or removes all of it at once, and the path of the program never changes.
 *
 * V1 A version gets its name when it is complete and on disk, and the link is replaced after that: whoever is killed leaves
 *    the version before, or the next one.
 * V2 What runs is never changed or removed, nor is what it would go back to.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listFolder, replaceFile, syncFolder } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import { programFolder } from '../../kit/settings.ts';

const WITHIN = join('lib', 'node_modules', 'oka');
const UNFINISHED = /^new-(\d+)$/;

/** The folder of the package that npm has installed, also for a version beside it; null in a checkout. */
export function packageBase(folder = programFolder): string | null {
  const own = resolve(folder);
  if (existsSync(join(own, 'src'))) return null;
  return /^(.+)\/versions\/[^/]+\/lib\/node_modules\/oka$/.exec(own)?.[1] ?? own;
}

/** Where all versions of a package are. */
const versionsFolder = (base: string): string => join(base, 'versions');

/** The folder of a version; null is the package itself. */
export function folderOf(base: string, name: string | null): string {
  return name === null ? base : join(versionsFolder(base), name, WITHIN);
}

/** Null when the package itself runs. */
export function currentName(base: string): string | null {
  const link = join(versionsFolder(base), 'current');
  return existsSync(join(link, WITHIN, 'bin', 'oka')) ? readlinkSync(link) : null;
}

export function versionIn(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The prefix that the next version is installed into. */
export const unfinishedPrefix = (base: string): string => join(versionsFolder(base), `new-${process.pid}`);

/** Gives a complete version its name (V1). One that is there already under it is used instead. */
export function keepVersion(base: string, name: string): void {
  const folder = versionsFolder(base);
  if (existsSync(join(folder, name))) return;
  if (spawnSync('sync', ['-f', folder]).status !== 0) spawnSync('sync'); // of a power cut, too: npm flushes nothing
  renameSync(unfinishedPrefix(base), join(folder, name));
  syncFolder(folder);
}

/** From now on every new process is of this version. Going back leads to the one before it. */
export function switchTo(base: string, name: string): void {
  const before = currentName(base);
  if (before === name) return;
  replaceFile(join(versionsFolder(base), name, 'before.json'), JSON.stringify(before), { durable: true });
  point(base, name);
}

/** Returns the version that runs from now on. */
export function goBack(base: string): { from: string; to: string } {
  const current = currentName(base);
  if (current === null)
    throw new OkaError(
      'refused',
      `oka ${versionIn(base)} is what npm has installed; there is no version to go back to`,
      {
        fix: 'To install another one: npm install --global oka@VERSION',
      },
    );
  const wanted = JSON.parse(readFileSync(join(versionsFolder(base), current, 'before.json'), 'utf8')) as string | null;
  const before = wanted !== null && existsSync(join(folderOf(base, wanted), 'bin', 'oka')) ? wanted : null;
  const from = versionIn(folderOf(base, current));
  point(base, before);
  return { from, to: versionIn(folderOf(base, before)) };
}

function point(base: string, name: string | null): void {
  const folder = versionsFolder(base);
  const link = join(folder, 'current');
  if (name === null) rmSync(link, { force: true });
  else {
    const next = join(folder, `next-${process.pid}`);
    rmSync(next, { force: true });
    symlinkSync(name, next);
    renameSync(next, link);
  }
  syncFolder(folder);
}

/** Removes what killed processes have left, and versions that neither run nor are gone back to (V2). */
export function sweepVersions(base: string): void {
  const folder = versionsFolder(base);
  const current = currentName(base);
  const before = current === null ? null : beforeOf(folder, current);
  for (const name of listFolder(folder)) {
    const [, pid] = UNFINISHED.exec(name) ?? [];
    if (pid !== undefined ? isRunning(Number(pid)) : ['current', current, before].includes(name)) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

function beforeOf(folder: string, current: string): string | null {
  try {
    return JSON.parse(readFileSync(join(folder, current, 'before.json'), 'utf8')) as string | null;
  } catch {
    return null; // it goes back to the package itself
  }
}
