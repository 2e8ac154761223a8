/** The launcher, rebuilt when its sources are newer; null where there is no compiler. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Places, type Rights, rightsOf, type Step } from '../../src/core/guard/command-rights.ts';
import { programFolders } from '../../src/kit/sandbox/sandbox-places.ts';

const native = join(import.meta.dirname, '../../native');

export const launcher: string | null = builtLauncher();
const kernel = launcher === null ? { landlock: 0, seccomp: false } : probe(launcher);
export const { landlock, seccomp } = kernel;

/** A title for what is skipped, so that the reason is read. */
export const whyNot = launcher === null ? ' (skipped: no C compiler)' : landlock === 0 ? ' (skipped: no Landlock)' : '';
export const canJail = launcher !== null && landlock > 0;

export function jailPlaces(): Places & { dir: string; scratch: string; [Symbol.dispose](): void } {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'oka-jail-')));
  const [oka, desk, scratch] = [join(dir, '.oka'), join(dir, 'workspace/desk'), join(dir, 'scratch')];
  const tools = join(oka, 'tools');
  for (const folder of [tools, desk, scratch, join(oka, 'state')]) mkdirSync(folder, { recursive: true });
  const programs = programFolders(process.execPath);
  const root = process.getuid?.() === 0;
  const remove = (): void => rmSync(dir, { recursive: true, force: true });
  return { dir, oka, desk, scratch, tools, programs, root, [Symbol.dispose]: remove };
}

export function rightsFor(places: Places, step: Partial<Step> = {}): Rights {
  return rightsOf({ class: 'read', author: 'model', net: null, installer: false, ...step }, places, { seccomp });
}

function builtLauncher(): string | null {
  const output = join(native, 'oka-launch');
  const newest = Math.max(
    ...readdirSync(native)
      .filter((name) => /\.[ch]$/.test(name))
      .map((name) => changedAt(name)),
  );
  if (existsSync(output) && statSync(output).mtimeMs >= newest) return output;
  const built = spawnSync(process.execPath, [join(native, 'build.js')], { encoding: 'utf8' });
  if (built.status === 0) return output;
  if (/says\n/.test(built.stderr)) throw new Error(built.stderr);
  return null;
}

function changedAt(name: string): number {
  return statSync(join(native, name)).mtimeMs;
}

function probe(file: string): { landlock: number; seccomp: boolean } {
  return JSON.parse(spawnSync(file, ['--probe'], { encoding: 'utf8' }).stdout) as {
    landlock: number;
    seccomp: boolean;
  };
}
