/**
 * Builds the launcher, native/oka-launch, with whatever C compiler is there.
 *
 *   node native/build.js              for this machine
 *   node native/build.js --prebuilt   for every architecture that the package comes with, into native/prebuilt
 *
 * The same sources, compiler and C library give the same bytes; native/prebuilt/manifest.json names all three, so that
 * anybody can build the prebuilt launchers again and compare.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = import.meta.dirname;
const names = readdirSync(folder).toSorted();
const sources = names.filter((name) => name.endsWith('.c'));
const flags = '-std=gnu17 -static -O2 -Wall -Wextra -Werror -fstack-protector-strong -s -Wl,--build-id=none'.split(' ');
/** Debian's packages: gcc and libc6-dev, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross. */
const CROSS = { x64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' };

const [option, place] = process.argv.slice(2);
const problem =
  process.platform !== 'linux'
    ? 'the kernel has to be Linux'
    : option === '--prebuilt'
      ? buildAll(place ?? join(folder, 'prebuilt'))
      : build(['cc', 'gcc', 'clang'], join(folder, 'oka-launch'));
if (problem !== null) {
  process.stderr.write(`the launcher was not built: ${problem}\n`);
  process.exitCode = 1;
}

/** Returns what went wrong, or null. */
function buildAll(into) {
  mkdirSync(into, { recursive: true });
  const files = {};
  for (const [arch, compiler] of Object.entries(CROSS)) {
    const file = join(into, `oka-launch-${arch}`);
    const failure = build([compiler], file);
    if (failure !== null) return failure;
    files[arch] = { sha256: sha256(readFileSync(file)), compiler: versionOf(compiler), libc: libcOf(compiler) };
  }
  const all = names.filter((name) => /\.[ch]$/.test(name)).map((name) => readFileSync(join(folder, name)));
  const manifest = { sources: sha256(Buffer.concat(all)), files };
  writeFileSync(join(into, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return null;
}

/** Returns what went wrong, or null. The launcher in place is replaced in one step: it may be running. */
function build(compilers, output) {
  const compiler = compilers.find((name) => spawnSync(name, ['--version']).status === 0);
  if (compiler === undefined)
    return `no C compiler (${compilers.join(', ')}); on Debian: apt-get install gcc libc6-dev`;
  const fresh = `${output}.${process.pid}`;
  const { status, stderr } = spawnSync(compiler, [...flags, `-ffile-prefix-map=${folder}=.`, '-o', fresh, ...sources], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status === 0) renameSync(fresh, output);
  else rmSync(fresh, { force: true });
  if (status === 0) process.stdout.write(`built ${output}\n`);
  return status === 0 ? null : `${compiler} says\n${stderr}`;
}

function versionOf(compiler) {
  return spawnSync(compiler, ['--version'], { encoding: 'utf8' }).stdout.split('\n')[0];
}

/** The hash of the C library that is linked in: its version alone does not say how it was built. */
function libcOf(compiler) {
  const { stdout } = spawnSync(compiler, ['-print-file-name=libc.a'], { encoding: 'utf8' });
  return sha256(readFileSync(stdout.trim()));
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
