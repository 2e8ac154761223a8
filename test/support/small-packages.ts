/** Packages that `oka update` takes for oka: the real bin/oka, and a program that answers what updating asks. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { launcher } from './cli.ts';

export type SmallPackage = { version: string; faults?: readonly string[]; manifest?: object };

/** The package as npm installs it. */
export function writeSmallPackage(folder: string, { version, faults = [], manifest }: SmallPackage): string {
  mkdirSync(join(folder, 'lib/app/cli'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  cpSync(launcher, join(folder, 'bin/oka'));
  const about = { name: 'oka', version, type: 'module', bin: { oka: 'bin/oka' }, oka: { home: 1 }, ...manifest };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(about));
  const findings = faults.map((what) => ({ state: 'bad', what, found: 'it is broken' }));
  writeFileSync(
    join(folder, 'lib/app/cli/main.js'),
    `const [first] = process.argv.slice(2);
if (first === '--version') console.log(${JSON.stringify(version)});
else if (first === 'doctor') console.log(JSON.stringify({ findings: ${JSON.stringify(findings)} }));
else process.exitCode = 2;
`,
  );
  return folder;
}

/** A tarball of it, named as npm does. */
export function packSmall(folder: string, small: SmallPackage): string {
  const stage = join(folder, `stage-${small.version}`);
  mkdirSync(stage);
  writeSmallPackage(join(stage, 'package'), small);
  const file = join(folder, `oka-${small.version}.tgz`);
  const { status, stderr } = spawnSync('tar', ['-C', stage, '-czf', file, 'package'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return file;
}

/** The version that starts when a person types `oka`. */
export function startedVersion(base: string): string {
  return spawnSync(process.execPath, [join(base, 'bin/oka'), '--version'], { encoding: 'utf8' }).stdout.trim();
}
