/**
 * Owns: putting an npm package into a folder of its own.
 *
 * N1 No install script runs unless the policy names the package; then it runs without the network.
 * N2 The folder gets its final name when everything in it is there.
 * N3 Only what was published long enough ago is taken, for the package and everything it depends on.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import type { InstallInput } from '../../../core/schema/dependency.ts';
import type { ToolCall } from '../../../core/schema/tool.ts';
import {
  type InstallContext,
  permanentProblem,
  failureIn,
  FULL,
  type InstalledFolder,
  OFFLINE,
  temporaryProblem,
  type Problem,
  outputText,
  lastLines,
} from './installer.ts';
import { folderName, unfinishedName } from '../../../kit/sandbox/tool-links.ts';

const NAME = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i;
const RANGE = /^[\w.+^~<>=|* -]{1,100}$/;
const COMMAND = /^[A-Za-z0-9_][\w.+-]{0,199}$/;
const DAY_MS = 86_400_000;
const OPTIONS =
  '--ignore-scripts --save-exact --omit=dev --no-audit --no-fund --no-update-notifier --loglevel=error --fetch-retries=1 --fetch-retry-mintimeout=1000'.split(
    ' ',
  );

export async function installNode(
  input: InstallInput,
  bench: InstallContext,
  call: ToolCall,
): Promise<InstalledFolder | Problem> {
  if (!NAME.test(input.name)) return permanentProblem(`"${input.name}" is not the name of an npm package`);
  if (input.version !== undefined && !RANGE.test(input.version))
    return permanentProblem(`"${input.version}" is not a version`);
  const fresh = join(bench.tools, 'node', unfinishedName(randomBytes(6).toString('hex')));
  try {
    mkdirSync(fresh, { recursive: true });
    writeFileSync(join(fresh, 'package.json'), '{"private":true}\n');
    const ran = await bench.run(npmInstall(input, bench), { cwd: fresh, net: true, ...npmSettings(bench) }, call);
    const failed = failureIn(ran);
    if (failed !== null)
      return 'refused' in failed ? permanentProblem(failed.refused) : describeNpmProblem(failed.output, input, bench);
    const scripted = await runScripts(input, bench, fresh, call);
    if (scripted !== null) return scripted;
    return await moveIntoPlace(input, bench, fresh, call);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Without install scripts, and only releases that are old enough (N1, N3). */
function npmInstall({ name, version }: InstallInput, { limits, now }: InstallContext): string[] {
  const before = new Date(now - limits.min_age_days * DAY_MS).toISOString();
  return [
    'npm',
    'install',
    `${name}${version === undefined ? '' : `@${version}`}`,
    ...OPTIONS,
    ...(limits.min_age_days > 0 ? [`--before=${before}`] : []),
  ];
}

function npmSettings({ tools, npm }: InstallContext): { env: Record<string, string>; readable: readonly string[] } {
  const env = { ...npm.env, npm_config_cache: join(tools, 'cache', 'npm'), npm_config_prefix: join(tools, 'node') };
  return { env, readable: npm.files };
}

async function runScripts(
  { name }: InstallInput,
  bench: InstallContext,
  cwd: string,
  call: ToolCall,
): Promise<Problem | null> {
  if (!bench.limits.scripts.includes(name)) return null;
  const env = { npm_config_cache: join(bench.tools, 'cache', 'npm') };
  const failed = failureIn(
    await bench.run(['npm', 'rebuild', name, '--ignore-scripts=false'], { cwd, net: false, env }, call),
  );
  if (failed === null) return null;
  return permanentProblem(
    'refused' in failed ? failed.refused : `its install script failed:\n${lastLines(failed.output)}`,
  );
}

/** Gives the complete folder its final name (N2). */
async function moveIntoPlace(
  input: InstallInput,
  bench: InstallContext,
  fresh: string,
  call: ToolCall,
): Promise<InstalledFolder | Problem> {
  const { name } = input;
  const inside = join('node_modules', ...name.split('/'));
  const manifest = readJsonOrEmpty(join(fresh, inside, 'package.json')) as {
    version?: string;
    bin?: string | Record<string, string>;
  };
  const version = manifest.version ?? '';
  if (!/^\d[\w.+-]*$/.test(version)) return permanentProblem(`${name} does not say which version it is`);
  const folder = `node/${folderName(name, version)}`;
  const carried = checkCarriedFiles(input, join(fresh, inside));
  if ('problem' in carried) return carried;
  const contains = readLocked(fresh);
  const from = await registryHost(name, bench, fresh, call);
  await bench.run(['sync', '-f', fresh], { cwd: fresh, net: false }, call); // a power cut must not leave empty files
  rmSync(join(bench.tools, folder), { recursive: true, force: true });
  renameSync(fresh, join(bench.tools, folder));
  const bins = binLinks(name, manifest.bin, folder);
  const carriedLinks = Object.entries(carried.files).map(([bin, path]) => [
    `bin/${bin}`,
    `../${folder}/${inside}/${path}`,
  ]);
  const links = {
    ...bins,
    ...(Object.fromEntries(carriedLinks) as Record<string, string>),
    [`node/lib/node_modules/${name}`]: `${name.includes('/') ? '../' : ''}../../${folder.slice('node/'.length)}/${inside}`,
  };
  const commands = [...Object.keys(bins).map((link) => link.split('/').at(-1) ?? ''), ...Object.keys(carried.files)];
  const integrity = contains.find((each) => each.name === name)?.integrity ?? '';
  return {
    version,
    folder,
    links,
    commands,
    replaces: null,
    contains,
    integrity,
    from,
    scripts: bench.limits.scripts.includes(name),
  };
}

function checkCarriedFiles({ files = {} }: InstallInput, folder: string): { files: Record<string, string> } | Problem {
  for (const [bin, path] of Object.entries(files)) {
    if (!COMMAND.test(bin) || normalize(path) !== path || path.startsWith('..') || path.startsWith('/'))
      return permanentProblem(`"${path}" is not a place in the package`);
    if (!existsSync(join(folder, path)))
      return permanentProblem(`the package has no ${path}: it is not made for this machine`);
    chmodSync(join(folder, path), 0o755);
  }
  return { files };
}

function binLinks(
  name: string,
  bin: string | Record<string, string> | undefined,
  folder: string,
): Record<string, string> {
  const names = typeof bin === 'string' ? [name.split('/').at(-1) ?? ''] : Object.keys(bin ?? {});
  return Object.fromEntries(
    names
      .filter((each) => COMMAND.test(each))
      .map((each) => [`node/bin/${each}`, `../${folder.slice('node/'.length)}/node_modules/.bin/${each}`]),
  );
}

type Locked = { name: string; version: string; integrity: string };

/** Everything that came, as npm itself wrote it down. */
function readLocked(folder: string): Locked[] {
  const { packages = {} } = readJsonOrEmpty(join(folder, 'package-lock.json')) as {
    packages?: Record<string, { version?: string; integrity?: string }>;
  };
  return Object.entries(packages).flatMap(([path, { version, integrity }]) =>
    path === '' || version === undefined || !existsSync(join(folder, path))
      ? []
      : [{ name: path.split('node_modules/').at(-1) ?? path, version, integrity: integrity ?? '' }],
  );
}

/** npm may be set not to write down where things came from; then it is asked. */
async function registryHost(name: string, bench: InstallContext, cwd: string, call: ToolCall): Promise<string> {
  const { packages = {} } = readJsonOrEmpty(join(cwd, 'package-lock.json')) as {
    packages?: Record<string, { resolved?: string }>;
  };
  const written = URL.parse(packages[`node_modules/${name}`]?.resolved ?? '');
  if (written !== null && written.host !== '') return written.host;
  const ran = await bench.run(['npm', 'config', 'get', 'registry'], { cwd, net: false, ...npmSettings(bench) }, call);
  const url = 'refused' in ran ? null : URL.parse(outputText(ran).split('\n').at(-1) ?? '');
  return url?.host || 'npm';
}

function readJsonOrEmpty(file: string): object {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as object;
  } catch {
    return {}; // the installation itself says what is wrong with it
  }
}

function describeNpmProblem(output: string, { name, version }: InstallInput, { limits }: InstallContext): Problem {
  const code = /^npm (?:error|ERR!) code (\w+)/m.exec(output)?.[1] ?? '';
  const spec = `${name}${version === undefined ? '' : ` ${version}`}`;
  if (FULL.test(output)) return permanentProblem(`the disk is full; ${spec} was not installed`);
  if (code === 'E404') return permanentProblem(`there is no npm package "${name}"`);
  if (code === 'ETARGET' || code === 'ENOVERSIONS')
    return permanentProblem(
      `no release of ${spec} can be taken: none fits, or all are younger than ${limits.min_age_days} days (installs.min_age_days in POLICY.md)`,
    );
  if (code === 'EINTEGRITY')
    return permanentProblem(`what came is not what the registry announced (hash mismatch):\n${lastLines(output)}`);
  if (code === 'EBADPLATFORM' || code === 'EBADENGINE')
    return permanentProblem(`${spec} is not made for this machine:\n${lastLines(output)}`);
  if (OFFLINE.test(output) || OFFLINE.test(code) || code === 'E403')
    return temporaryProblem(`the npm registry cannot be reached:\n${lastLines(output)}`);
  return permanentProblem(`npm could not install ${spec}:\n${lastLines(output)}`);
}
