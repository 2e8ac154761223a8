import { hash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findLauncher, makeLauncher } from '../../../src/kit/sandbox/find-launcher.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { isThorough } from '../../support/thorough.ts';

const native = join(import.meta.dirname, '../../../native');
const manifest = JSON.parse(readFileSync(join(native, 'prebuilt/manifest.json'), 'utf8')) as {
  sources: string;
  files: Record<string, { sha256: string; compiler: string; libc: string }>;
};

/** Sources and prebuilt launchers as a package has them, without one that was built here. */
function packaged(): { dir: string; [Symbol.dispose](): void } {
  const folder = temporaryFolder();
  cpSync(native, folder.dir, { recursive: true, filter: (path) => !/oka-launch(\.\d+)?$/.test(path) });
  return folder;
}

/** A program that is compiled at once. */
function leaveShortSources(dir: string): void {
  for (const name of globSync('*.c', { cwd: dir })) rmSync(join(dir, name));
  writeFileSync(join(dir, 'main.c'), 'int main(void) { return 0; }\n');
}

describe('the launcher that is used', { timeout: 120_000 }, () => {
  it('is the prebuilt one of this architecture when none was built here', () => {
    using folder = packaged();
    const [x64, arm64] = ['x64', 'arm64'].map((arch) => join(folder.dir, 'prebuilt', `oka-launch-${arch}`));
    expect(findLauncher(folder.dir, 'x64')).toEqual({ path: x64, origin: 'prebuilt', problem: null });
    expect(findLauncher(folder.dir, 'arm64')).toEqual({ path: arm64, origin: 'prebuilt', problem: null });
    expect(findLauncher(folder.dir, 'riscv64')).toMatchObject({
      origin: 'none',
      problem: expect.stringMatching(/riscv64/),
    });
  });

  it('is the one that was built here, as long as the sources are not newer', () => {
    using folder = packaged();
    const built = join(folder.dir, 'oka-launch');
    writeFileSync(built, '');
    expect(findLauncher(folder.dir, 'x64')).toMatchObject({ path: built, origin: 'built' });
    utimesSync(built, 1000, 1000);
    expect(findLauncher(folder.dir, 'x64')).toMatchObject({ origin: 'prebuilt' });
  });

  it.each<[string, (dir: string) => void, RegExp]>([
    ['was changed', (dir) => appendFileSync(join(dir, 'prebuilt/oka-launch-x64'), 'x'), /recorded hash/],
    ['is of other sources', (dir) => appendFileSync(join(dir, 'main.c'), '\n'), /not from these sources/],
    ['cannot be executed', (dir) => chmodSync(join(dir, 'prebuilt/oka-launch-x64'), 0o644), /EACCES/],
    [
      'has no valid manifest',
      (dir) => writeFileSync(join(dir, 'prebuilt/manifest.json'), '{}'),
      /no prebuilt launcher/,
    ],
  ])('is not a prebuilt one that %s', (_, spoil, problem) => {
    using folder = packaged();
    spoil(folder.dir);
    const found = findLauncher(folder.dir, 'x64');
    expect(found.origin).toBe('none');
    expect(found.problem).toMatch(problem);
  });

  it.skipIf(spawnSync('cc', ['--version']).status !== 0)('is built where no prebuilt one can be used', async () => {
    using folder = packaged();
    if (!isThorough) leaveShortSources(folder.dir);
    const built = join(folder.dir, 'oka-launch');
    expect(await makeLauncher(folder.dir, 'riscv64')).toEqual({ path: built, origin: 'built', problem: null });
    expect(existsSync(built)).toBe(true);
  });
});

describe('the prebuilt launchers', { timeout: 120_000 }, () => {
  const compilers = { x64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' };
  const libcOf = (compiler: string): string => {
    const file = spawnSync(compiler, ['-print-file-name=libc.a'], { encoding: 'utf8' }).stdout?.trim() ?? '';
    return existsSync(file) ? hash('sha256', readFileSync(file)) : 'none';
  };
  const isSame = Object.entries(compilers).every(([arch, compiler]) => {
    const version = spawnSync(compiler, ['--version'], { encoding: 'utf8' }).stdout?.split('\n')[0];
    return version === manifest.files[arch]?.compiler && libcOf(compiler) === manifest.files[arch]?.libc;
  });

  it.runIf(isThorough && isSame)(
    'come out byte for byte when they are built again with the same compiler and C library',
    () => {
      using folder = packaged();
      const into = join(folder.dir, 'again');
      const { status } = spawnSync(process.execPath, [join(folder.dir, 'build.js'), '--prebuilt', into]);
      expect(status).toBe(0);
      expect(JSON.parse(readFileSync(join(into, 'manifest.json'), 'utf8'))).toEqual(manifest);
    },
  );
});
