import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ADD_ONS, type AddOnName, importFromAddOn, requireFromAddOn } from '../../../src/kit/add-ons.ts';
import { addOnFolderName } from '../../../src/rooms/add-ons/installed-add-ons.ts';
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
    expect(Object.keys(own.packages).length).toBeGreaterThan(1);
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

it('oka doctor says of an add-on whether it is there, how large it is, and what is wrong with it', () => {
  using folder = temporaryFolder();
  const program = programWithoutAddOns(join(folder.dir, 'program'));
  const data = join(folder.dir, 'data');
  const env = { ...process.env, XDG_DATA_HOME: data };
  const doctor = (launcher: string): { state: string; found: string; fix?: string } => {
    const words = [launcher, 'doctor', '--json', '--dir', join(folder.dir, 'home')];
    const { stdout, stderr } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
    const { findings } = JSON.parse(stdout || stderr) as { findings: { what: string; state: string; found: string }[] };
    return findings.find(({ what }) => what === 'add-ons') ?? { state: 'none', found: '' };
  };
  const listed = (launcher: string): string =>
    spawnSync(process.execPath, [launcher, 'add-on', 'list'], { env, encoding: 'utf8' }).stdout;
  expect(listed(join(TOP, 'bin/oka'))).toMatch(/replica [^]*among the packages of this program \([\d.]+ MB\)\n$/);
  expect(doctor(program)).toMatchObject({
    state: 'good',
    found: expect.stringMatching(/^the program and its packages: [\d.]+ .B; vectors: not installed \(about/) as string,
  });

  const place = join(data, 'oka/add-ons', addOnFolderName('replica'));
  mkdirSync(join(place, 'node_modules/convex'), { recursive: true });
  const fix = expect.stringContaining('oka add-on add replica') as string;
  const lacks = expect.stringContaining('replica: not whole, convex/browser is missing') as string;
  expect(doctor(program)).toMatchObject({ state: 'odd', found: lacks, fix });
  writeFileSync(join(place, 'node_modules/convex/browser.js'), ' '.repeat(50_000));
  expect(listed(program)).toMatch(/\nreplica .*\n {2}installed \([\d.]+ KB\)\n/);
  chmodSync(place, 0o777);
  expect(listed(program)).toMatch(/not used, since somebody else may write [^]*Run: oka add-on add replica/);
  chmodSync(place, 0o755);
  renameSync(place, join(place, '../replica@another'));
  expect(listed(program)).toMatch(/installed by another version of oka [^]*Run: oka add-on add replica/);
});

/** As a package has it: this program with all of its packages but those of add-ons. Returns its launcher. */
function programWithoutAddOns(to: string): string {
  mkdirSync(join(to, 'node_modules'), { recursive: true });
  for (const part of ['bin', 'src', 'share', 'native', 'package.json'])
    cpSync(join(TOP, part), join(to, part), { recursive: true });
  const addOns = Object.values(ADD_ONS).flatMap(({ packages }) => packages.map((name) => name.split('/')[0]));
  for (const name of readdirSync(join(TOP, 'node_modules')))
    if (!addOns.includes(name)) symlinkSync(join(TOP, 'node_modules', name), join(to, 'node_modules', name));
  return join(to, 'bin/oka');
}

it('an installation that fails says why, and leaves nothing', async () => {
  using folder = temporaryFolder();
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:9/');
  vi.stubEnv('npm_config_cache', join(folder.dir, 'cache'));
  vi.stubEnv('npm_config_fetch_retries', '0');
  const into = join(folder.dir, 'add-ons');
  const { signal } = new AbortController();
  await expect(installAddOn('replica', { into, signal })).rejects.toThrow('npm could not install the add-on "replica"');
  expect(readdirSync(into)).toEqual([]);
  mkdirSync(join(into, addOnFolderName('replica'))); // one that cannot be used is not "there already"
  await expect(installAddOn('replica', { into, signal })).rejects.toThrow('npm could not install');
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
