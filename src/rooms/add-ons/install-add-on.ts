/**
 * Owns: installing and removing an add-on. Does not own: finding what is installed (kit/add-ons.ts).
 *
 * 1. What is installed is exactly what the lock file of this version lists (share/add-ons/); no script of a package is run.
 * 2. An add-on gets its name when it is complete, was loaded once and is on disk. The one before stays until then, so
 *    whoever is killed leaves one of the two.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { listFolder, makeFolder, syncFolder } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { ADD_ONS, type AddOnName, addOnFolders } from '../../kit/add-ons.ts';
import { firstLineOf, runProgram } from '../../kit/run-program.ts';
import { userAddOns } from '../../kit/settings.ts';
import { addOnFolderName, diskUse, lackingPackage, listsOf } from './installed-add-ons.ts';
import { leanPackages } from './lean-packages.ts';

export type Installed = { name: AddOnName; folder: string; bytes: number; isNew: boolean };

/** `into` is the folder of all add-ons; by default that of this user. */
export async function installAddOn(
  name: AddOnName,
  { into = userAddOns(), signal }: { into?: string | null; signal: AbortSignal },
): Promise<Installed> {
  if (into === null)
    throw new OkaError('not-set-up', 'this user has no home folder, and add-ons belong there', {
      fix: 'Set HOME or XDG_DATA_HOME to a folder of this user.',
    });
  const lists = listsOf(name);
  const folder = join(into, addOnFolderName(name));
  const isUsed = into !== userAddOns() || addOnFolders(name).includes(folder);
  const isNew = !existsSync(folder) || !isUsed || lackingPackage(name, folder) !== undefined;
  sweepUnfinished(into, name);
  if (isNew) await makeAddOn(name, lists, folder, signal);
  for (const other of listFolder(into))
    if (other.startsWith(`${name}@`) && join(into, other) !== folder) rmSync(join(into, other), { recursive: true });
  return { name, folder, bytes: diskUse([folder]) ?? 0, isNew };
}

async function makeAddOn(name: AddOnName, lists: string, folder: string, signal: AbortSignal): Promise<void> {
  const stage = join(folder, '..', `new-${name}-${process.pid}`);
  makeFolder(stage);
  try {
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(lists, file), join(stage, file));
    const words = ['ci', '--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--loglevel=error'];
    const npm = await runProgram('npm', words, { signal, cwd: stage });
    if (npm.code !== 0)
      throw new OkaError('refused', `npm could not install the add-on "${name}": ${firstLineOf(npm.err)}`, {
        fix: 'Check the registry that npm is configured for (npm ping), then try again. Nothing was changed.',
      });
    leanPackages(join(stage, 'node_modules'));
    await assertLoads(name, stage, signal);
    chmodSync(stage, 0o755);
    if (spawnSync('sync', ['-f', stage]).status !== 0) spawnSync('sync'); // npm flushes nothing
    rmSync(folder, { recursive: true, force: true }); // one that cannot be used
    renameSync(stage, folder);
    syncFolder(join(folder, '..'));
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** In a process of its own: what is loaded here stays loaded. */
async function assertLoads(name: AddOnName, stage: string, signal: AbortSignal): Promise<void> {
  const code = ADD_ONS[name].loads.map((each) => `require(${JSON.stringify(each)});`).join('');
  const { code: exit, err } = await runProgram(process.execPath, ['-e', code], { signal, cwd: stage });
  if (exit !== 0)
    throw new OkaError('refused', `the add-on "${name}" does not run on this machine: ${firstLineOf(err)}`);
}

/** False when it was not installed. */
export function removeAddOn(name: AddOnName): boolean {
  const into = userAddOns();
  const own = into === null ? [] : addOnFolders(name).filter((folder) => folder.startsWith(into));
  for (const folder of own) rmSync(folder, { recursive: true });
  return own.length > 0;
}

/** What a killed installation has left. */
function sweepUnfinished(into: string, name: AddOnName): void {
  for (const left of listFolder(into).filter((each) => each.startsWith(`new-${name}-`))) {
    const pid = Number(left.slice(`new-${name}-`.length));
    if (pid === process.pid || !existsSync(`/proc/${pid}`)) rmSync(join(into, left), { recursive: true, force: true });
  }
}
