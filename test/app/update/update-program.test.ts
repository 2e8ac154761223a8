import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { compareVersions, findRelease } from '../../../src/app/update/find-release.ts';
import { goBack, packageBase } from '../../../src/app/update/installed-versions.ts';
import { updateProgram } from '../../../src/app/update/update-program.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';
import { packSmall, type SmallPackage, startedVersion, writeSmallPackage } from '../../support/small-packages.ts';

const { signal } = new AbortController();

async function update(base: string, from: string, dir?: string): Promise<unknown> {
  const home = dir === undefined ? null : homeAt(dir);
  return updateProgram(base, await findRelease(from, signal), { home, signal, onStep: () => undefined });
}

function installed(folder: string): string {
  return writeSmallPackage(join(folder, 'lib/node_modules/oka'), { version: '1.0.0' });
}

it('V1 the next version is put beside the one that runs; going back leads to the one before, at last to the package', async () => {
  using folder = temporaryFolder();
  const base = installed(folder.dir);
  for (const [version, before] of [
    ['1.1.0', '1.0.0'],
    ['1.2.0', '1.1.0'],
    ['1.3.0', '1.2.0'],
  ] as const) {
    expect(startedVersion(base)).toBe(before);
    expect(await update(base, packSmall(folder.dir, { version }))).toMatchObject({ from: before, to: version });
    expect(startedVersion(base)).toBe(version);
  }
  const kept = readdirSync(join(base, 'versions')).map((name) => name.replace(/-[0-9a-f]{8}$/, ''));
  expect(kept.toSorted()).toEqual(['1.2.0', '1.3.0', 'current']);
  expect(goBack(base)).toEqual({ from: '1.3.0', to: '1.2.0' });
  expect(startedVersion(base)).toBe('1.2.0');
  expect(goBack(base)).toEqual({ from: '1.2.0', to: '1.0.0' }); // 1.1.0 was removed
  expect(startedVersion(base)).toBe('1.0.0');
  expect(() => goBack(base)).toThrow('no version to go back to');
  expect(readFileSync(join(base, 'package.json'), 'utf8')).toContain('1.0.0');
});

it('P1 a version that finds faults in a copy of the home is not switched to, and the home stays as it is', async () => {
  using folder = temporaryFolder();
  const base = installed(folder.dir);
  const home = join(folder.dir, 'home');
  await oka('init', '--dir', home);
  const files = (): string[] => readdirSync(home, { recursive: true, encoding: 'utf8' }).toSorted();
  const before = files();
  const bad = packSmall(folder.dir, { version: '1.1.0', faults: ['ledger'] });
  await expect(update(base, bad, home)).rejects.toThrow(/finds faults in a copy .*\n {2}ledger: it is broken/);
  expect(startedVersion(base)).toBe('1.0.0');
  expect(files().filter((path) => path !== '.oka/cache')).toEqual(before);
  expect(await update(base, packSmall(folder.dir, { version: '1.1.1' }), home)).toMatchObject({ isTried: true });
  expect(startedVersion(base)).toBe('1.1.1');
});

it('what is not this program, does not start, or is not the file of the checksums is refused', async () => {
  using folder = temporaryFolder();
  const base = installed(folder.dir);
  const refuses = async (small: SmallPackage, why: string): Promise<void> => {
    await expect(update(base, packSmall(folder.dir, small))).rejects.toThrow(why);
    expect(startedVersion(base)).toBe('1.0.0');
  };
  await refuses({ version: '2.0.0', manifest: { oka: undefined } }, 'is not this program');
  await refuses({ version: '2.0.1', manifest: { name: 'okay' } }, 'is not this program');
  await refuses({ version: '2.0.2', manifest: { type: 'commonjs' } }, 'does not start here');
  writeFileSync(join(folder.dir, 'SHA256SUMS'), `${'0'.repeat(64)}  oka-2.0.3.tgz\n`);
  await refuses({ version: '2.0.3' }, 'is not the file that');
  expect(existsSync(join(base, 'versions', 'current'))).toBe(false);
});

it('of a folder the newest version is taken, as semver orders them', async () => {
  using folder = temporaryFolder();
  for (const version of ['1.9.0', '1.10.0-rc.2', '1.10.0-rc.10']) packSmall(folder.dir, { version });
  expect((await findRelease(folder.dir, signal)).version).toBe('1.10.0-rc.10');
  expect(compareVersions('1.10.0', '1.10.0-rc.10')).toBeGreaterThan(0);
  expect(compareVersions('0.1.0', '0.1.0')).toBe(0);
});

it('the package of a version beside another is the one that npm has installed, and a checkout has none', () => {
  using folder = temporaryFolder();
  const base = installed(folder.dir);
  const beside = join(base, 'versions/1.1.0-0a0a0a0a/lib/node_modules/oka');
  mkdirSync(beside, { recursive: true });
  expect([packageBase(base), packageBase(`${beside}/`), packageBase()]).toEqual([base, base, null]);
});

it('oka version says what it is, and whether a file is newer; a checkout is updated with git', async () => {
  using folder = temporaryFolder();
  const file = packSmall(folder.dir, { version: '99.0.0' });
  expect(JSON.parse((await oka('version', '--json')).out)).toMatchObject({ installed: 'checkout', latest: null });
  const newer = await oka('version', '--check', '--from', file);
  expect(newer).toMatchObject({ code: 1, out: expect.stringContaining('there is oka 99.0.0') });
  const older = await oka('version', '--check', '--from', packSmall(folder.dir, { version: '0.0.1' }));
  expect(older).toMatchObject({ code: 0, out: expect.stringContaining('is the newest') });
  expect(await oka('update', '--from', file)).toMatchObject({ code: 3, err: expect.stringContaining('git pull') });
});
