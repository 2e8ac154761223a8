/** Builds native/oka-launch with whatever C compiler is there; without one oka works, but holds commands less tightly. */
import { spawnSync } from 'node:child_process';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;
const output = join(folder, 'oka-launch');
const sources = readdirSync(folder).filter((name) => name.endsWith('.c'));
const flags = ['-std=gnu17', '-static', '-O2', '-Wall', '-Wextra', '-Werror', '-fstack-protector-strong', '-s'];

/** Before a start: nothing is said when there is nothing to do, and a machine without a compiler is no failure. */
const ifNeeded = process.argv.includes('--if-needed');
if (ifNeeded && isFresh()) process.exit(0);

const problem = process.platform === 'linux' ? buildWith(['cc', 'gcc', 'clang']) : 'the kernel has to be Linux';
if (problem === null) process.stdout.write(`built ${output}\n`);
else {
  process.stderr.write(`the launcher was not built: ${problem}\n`);
  process.exitCode = ifNeeded ? 0 : 1;
}

function isFresh() {
  const built = statSync(output, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ['launch.h', ...sources].every((name) => statSync(join(folder, name)).mtimeMs <= built);
}

/** Gives what went wrong, or null. The launcher in place is replaced in one step: it may be running. */
function buildWith(compilers) {
  const compiler = compilers.find((name) => spawnSync(name, ['--version']).status === 0);
  if (compiler === undefined)
    return `no C compiler (${compilers.join(', ')}); on Debian: apt-get install gcc libc6-dev`;
  const fresh = `${output}.${process.pid}`;
  const { status, stderr } = spawnSync(compiler, [...flags, '-o', fresh, ...sources], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status === 0) renameSync(fresh, output);
  else rmSync(fresh, { force: true });
  return status === 0 ? null : `${compiler} says\n${stderr}`;
}
