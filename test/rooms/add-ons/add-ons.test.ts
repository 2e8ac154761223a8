import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ADD_ONS, type AddOnName, importFromAddOn, requireFromAddOn } from '../../../src/kit/add-ons.ts';
import { installAddOn } from '../../../src/rooms/add-ons/install-add-on.ts';
import { leanPackages } from '../../../src/rooms/add-ons/lean-packages.ts';
import { temporaryFolder } from '../../support/cli.ts';

const TOP = join(import.meta.dirname, '../../..');

afterEach(() => void vi.unstubAllEnvs());

describe.each(Object.keys(ADD_ONS) as AddOnName[])('the lists of the add-on %s', (name) => {
  type Lock = { packages: Record<string, { version?: string; integrity?: string }> };
  const read = (path: string): Lock => JSON.parse(readFileSync(join(TOP, path), 'utf8')) as Lock;
  const own = read(`share/add-ons/${name}/package-lock.json`);

  it('name the same versions and contents as the lock file of the checkout, so that what was tested is installed', () => {
    const known = new Set(Object.values(read('package-lock.json').packages).map(({ integrity }) => integrity));
    const others = Object.entries(own.packages).filter(([path, { integrity }]) => path !== '' && !known.has(integrity));
    expect(others.map(([path]) => path)).toEqual([]);
    expect(Object.keys(own.packages).length).toBeGreaterThan(2);
  });

  it('belong to its manifest, and contain every package that it is known for', () => {
    const manifest = JSON.parse(readFileSync(join(TOP, `share/add-ons/${name}/package.json`), 'utf8')) as Shape;
    expect(own.packages['']).toMatchObject({ dependencies: manifest.dependencies });
    const asked = ADD_ONS[name].packages.map((each) => each.replace(/\/(browser|package\.json)$/, ''));
    expect(Object.keys(manifest.dependencies).toSorted()).toEqual(asked.toSorted());
  });
  type Shape = { dependencies: Record<string, string> };
});

describe('a package of an add-on', () => {
  it('is taken from the folder of the user where this program does not have it itself', async () => {
    using folder = temporaryFolder();
    const own = async (): Promise<{ answer: number }> => await Promise.reject(new Error('not reached'));
    writePackage(folder.dir, 'vectors@one', 'of-an-add-on');
    vi.stubEnv('XDG_DATA_HOME', folder.dir);
    expect(await importFromAddOn('vectors', 'of-an-add-on', own)).toEqual({ answer: 42 });
    expect(() => requireFromAddOn('replica', 'of-an-add-on')).toThrow('the add-on "replica" is not installed');
  });

  it('is not taken from a folder that somebody else could write', () => {
    using folder = temporaryFolder();
    const path = writePackage(folder.dir, 'vectors@one', 'of-an-add-on');
    vi.stubEnv('XDG_DATA_HOME', folder.dir);
    for (const mode of [0o775, 0o757]) {
      chmodSync(path, mode);
      expect(() => requireFromAddOn('vectors', 'of-an-add-on')).toThrow('the add-on "vectors" is not installed');
    }
    chmodSync(path, 0o755);
    expect(requireFromAddOn('vectors', 'of-an-add-on')('of-an-add-on')).toEqual({ answer: 42 });
  });

  it('is this program’s own where it has it, whatever the folder of the user contains', async () => {
    using folder = temporaryFolder();
    writePackage(folder.dir, 'vectors@one', 'apache-arrow');
    vi.stubEnv('XDG_DATA_HOME', folder.dir);
    const { Utf8 } = await importFromAddOn('vectors', 'apache-arrow', () => import('apache-arrow'));
    expect(new Utf8().toString()).toBe('Utf8');
  });

  it('that is nowhere is named with the command that brings it', () => {
    using folder = temporaryFolder();
    vi.stubEnv('XDG_DATA_HOME', folder.dir);
    const fix = expect.stringContaining('oka add-on add replica') as string;
    expect(() => requireFromAddOn('replica', 'nowhere')).toThrow(expect.objectContaining({ code: 'not-set-up', fix }));
  });
});

it('an installation that fails says why, and leaves nothing', async () => {
  using folder = temporaryFolder();
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/');
  vi.stubEnv('npm_config_cache', join(folder.dir, 'cache'));
  vi.stubEnv('npm_config_fetch_retries', '0');
  const into = join(folder.dir, 'add-ons');
  const { signal } = new AbortController();
  await expect(installAddOn('replica', { into, signal })).rejects.toThrow('npm could not install the add-on "replica"');
  expect(readdirSync(into)).toEqual([]);
});

it('of packages only what is loaded stays: no types, no source maps, no binaries for other machines; licences do', () => {
  using folder = temporaryFolder();
  const write = (path: string): void => {
    mkdirSync(join(folder.dir, path, '..'), { recursive: true });
    writeFileSync(join(folder.dir, path), '');
  };
  const kept = [
    'a/LICENSE',
    'a/index.js',
    'a/node_modules/b/index.mjs',
    'onnxruntime-node/bin/napi-v6/linux/arm64/x.node',
  ];
  const gone = [
    'a/index.d.ts',
    'a/index.js.map',
    'a/node_modules/b/i.d.mts',
    'onnxruntime-node/bin/napi-v6/linux/x64/x.node',
    'onnxruntime-node/bin/napi-v6/win32/arm64/x.dll',
    'esbuild/bin/esbuild',
    '@esbuild/linux-x64/bin/esbuild',
  ];
  for (const path of [...kept, ...gone]) write(path);
  leanPackages(folder.dir, { platform: 'linux', arch: 'arm64' });
  expect([...kept, ...gone].filter((path) => existsSync(join(folder.dir, path)))).toEqual(kept);
});

function writePackage(data: string, addOn: string, name: string): string {
  const folder = join(data, 'oka/add-ons', addOn);
  mkdirSync(join(folder, 'node_modules', name), { recursive: true });
  writeFileSync(join(folder, 'node_modules', name, 'index.js'), 'module.exports = { answer: 42 };\n');
  return folder;
}
