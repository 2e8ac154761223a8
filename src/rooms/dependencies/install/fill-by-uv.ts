/**
 * Owns: an environment of Python made and filled by uv.
 *
 * 1. uv only resolves first; what it settled on is checked for its age, and then installed by exact hash: wheels alone,
 *    nothing that is not in the list.
 * 2. uv searches where pip is configured to search; its own settings are not read.
 * 3. What uv says and nobody here understands is no verdict: pip does it then.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ToolCall } from '../../../core/schema/tool.ts';
import { allTooYoung, CONFLICT, type Fetched, type Wheel } from './fetch-wheels.ts';
import {
  failureIn,
  FULL,
  type InstallContext,
  lastLines,
  type Manager,
  OFFLINE,
  outputText,
  permanentProblem,
  type Problem,
  temporaryProblem,
} from './installer.ts';
import { normalizeName } from './known-python.ts';
import { fileHash } from './measure-tree.ts';
import { chosenWheel, type LockedWheel, parseLockedPackages } from './uv-lock.ts';
import { checkAges, undatedReason, type WheelAges } from './wheel-age.ts';

type PipSettings = {
  index: string | null;
  extra: readonly string[];
  links: readonly string[];
  trusted: readonly string[];
  isOffline: boolean;
};

const DAY_MS = 86_400_000;
const MOST_YOUNG = 4;
const PLAINLY = '--no-config --no-progress --color never --no-python-downloads'.split(' ');
const UNREACHED =
  /Network connectivity is disabled|error sending request|Failed to fetch|tunnel error|dns error|Request failed after/;

export type Filling = { specs: readonly string[]; environment: string; work: string };

/** Null: pip has to do it. */
export async function fillByUv(
  filling: Filling,
  bench: InstallContext,
  call: ToolCall,
): Promise<Fetched | Problem | null> {
  const { environment } = filling;
  if (bench.uv === null) return null;
  const making = ['venv', '--no-project', '--system-site-packages', '--python', bench.python, environment];
  if (failureIn(await uvCommand(making, bench, call, null)) !== null) return null;
  const near = await resolvePackages(filling, bench, call, 'near', []);
  const found = near === null || 'problem' in near ? await resolveOldEnough(filling, bench, call) : near;
  if (found === null) return null;
  if ('problem' in found) return near !== null && 'problem' in near && near.problem.startsWith(CONFLICT) ? near : found;
  return installResolved(found, filling, bench, call);
}

type Where = 'near' | 'far';
type Resolved = { where: Where; wheels: (Wheel & Pick<LockedWheel, 'url' | 'uploaded'>)[] };

/** From the index, and nothing that is too young. An index without times is asked again, and its files are dated. */
async function resolveOldEnough(
  filling: Filling,
  bench: InstallContext,
  call: ToolCall,
): Promise<Resolved | Problem | null> {
  const { limits, now } = bench;
  const before = new Date(now - limits.min_age_days * DAY_MS).toISOString();
  const dated = await resolvePackages(
    filling,
    bench,
    call,
    'far',
    limits.min_age_days > 0 ? ['--exclude-newer', before] : [],
  );
  if (dated === null || !('problem' in dated) || dated.problem !== UNDATED) return dated;
  const without: string[] = [];
  for (let tries = 0; tries < MOST_YOUNG; tries += 1) {
    const all = await resolvePackages({ ...filling, specs: [...filling.specs, ...without] }, bench, call, 'far', []);
    if (all === null) return null;
    if ('problem' in all) return without.length > 0 ? permanentProblem(allTooYoung(bench)) : all;
    const { young, undated } = await checkResolvedAges(all, before, bench, call);
    const [odd] = undated;
    if (odd !== undefined) return permanentProblem(undatedReason(odd, bench));
    if (young.length === 0) return all;
    const tooYoung = all.wheels.filter(({ file }) => young.includes(file));
    without.push(...tooYoung.map(({ name, version }) => `${name}!=${version}`));
  }
  return permanentProblem(allTooYoung(bench));
}

/** What the index dated itself, and the files of those it did not. */
async function checkResolvedAges(
  { wheels }: Resolved,
  before: string,
  bench: InstallContext,
  call: ToolCall,
): Promise<WheelAges> {
  const dated = wheels.filter(({ uploaded }) => uploaded !== null && Date.parse(uploaded) > Date.parse(before));
  const foreign = wheels.filter(({ url, uploaded }) => uploaded === null && /^https?:/.test(url));
  const urls = Object.fromEntries(foreign.map(({ file, url }) => [file, url]));
  const { young, undated } = await checkAges(Object.keys(urls), { pages: [], urls }, bench, call);
  return { young: [...young, ...dated.map(({ file }) => file)], undated };
}

async function resolvePackages(
  { specs, environment, work }: Filling,
  bench: InstallContext,
  call: ToolCall,
  where: Where,
  more: readonly string[],
): Promise<Resolved | Problem | null> {
  const list = join(work, 'wanted.txt');
  const lock = join(work, 'pylock.toml');
  rmSync(lock, { force: true }); // uv would prefer its content
  writeFileSync(list, specs.map((spec) => `${spec}\n`).join(''));
  const compiling = ['pip', 'compile', list, '--python', join(environment, 'bin', 'python'), '--only-binary', ':all:'];
  const format = ['--format', 'pylock.toml', '--no-header', '--verbose', '--output-file', lock];
  const ran = await uvCommand([...compiling, ...format, ...more], bench, call, where);
  const failed = failureIn(ran);
  if (failed !== null || 'refused' in ran)
    return failed === null || 'refused' in failed
      ? permanentProblem(failed?.refused ?? '')
      : describeUvProblem(failed.output, specs, bench);
  const wheels: Resolved['wheels'] = [];
  for (const each of parseLockedPackages(readFileSync(lock, 'utf8'))) {
    const chosen = chosenWheel(each, outputText(ran));
    const sha256 = chosen === null ? null : await wheelHash(chosen);
    if (chosen === null || sha256 === null) return null;
    const { file, url, uploaded } = chosen;
    wheels.push({ file, name: normalizeName(each.name), version: each.version, sha256, url, uploaded });
  }
  return { where, wheels };
}

/** An index reports it; for a file on this machine it is computed. */
async function wheelHash({ sha256, url }: LockedWheel): Promise<string | null> {
  if (sha256 !== null || !url.startsWith('file:')) return sha256;
  return fileHash(fileURLToPath(url));
}

/** By exact hash: what differs from what was resolved is refused by uv itself. */
async function installResolved(
  { where, wheels }: Resolved,
  { environment, work }: Filling,
  bench: InstallContext,
  call: ToolCall,
): Promise<Fetched | Problem | null> {
  const list = join(work, 'requirements.txt');
  writeFileSync(
    list,
    wheels.map(({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256}\n`).join(''),
  );
  const exactly = '--no-deps --require-hashes --only-binary :all: --link-mode copy'.split(' ');
  const installing = ['pip', 'install', '--python', join(environment, 'bin', 'python'), ...exactly, '-r', list];
  const failed = failureIn(await uvCommand(installing, bench, call, where));
  if (failed !== null)
    return 'refused' in failed ? permanentProblem(failed.refused) : describeUvProblem(failed.output, [], bench);
  return { wheels, from: findOriginHost(wheels.at(-1)?.url ?? '', where, bench) };
}

function findOriginHost(url: string, where: Where, { wheels }: InstallContext): string {
  const found = URL.parse(url);
  if (where === 'near' || found === null || found.host === '') return wheels ?? 'wheels on this machine';
  return found.host;
}

/** `where` is null for what needs no packages. */
function uvCommand(
  args: readonly string[],
  bench: InstallContext,
  call: ToolCall,
  where: Where | null,
): ReturnType<InstallContext['run']> {
  const { tools, pip, wheels: given } = bench;
  const { index, extra, links, trusted, isOffline } = readPipSettings(pip);
  const folders = [...(given === undefined ? [] : [given]), join(tools, 'wheels')];
  const far = {
    ...(index === null ? {} : { UV_DEFAULT_INDEX: index }),
    ...(extra.length === 0 ? {} : { UV_INDEX: extra.join(' ') }),
    ...(trusted.length === 0 ? {} : { UV_INSECURE_HOST: trusted.join(' ') }),
  };
  const isFar = where === 'far' && !isOffline;
  const finding = [...folders, ...(isFar ? links : [])].flatMap((folder) => ['--find-links', folder]);
  const options = where === null ? ['--offline'] : [...finding, ...(isFar ? [] : ['--offline', '--no-index'])];
  const env = {
    UV_CACHE_DIR: join(tools, 'cache', 'uv'),
    UV_SYSTEM_CERTS: '1',
    UV_HTTP_RETRIES: '1',
    ...(isFar ? far : {}),
  };
  return bench.run(
    [bench.uv ?? 'uv', ...args, ...PLAINLY, ...options],
    { cwd: tools, net: isFar, env, readable: [...(given === undefined ? [] : [given]), ...pip.files] },
    call,
  );
}

/** What an index without times comes to when times are asked for. */
const UNDATED = 'the index gives no times';

function describeUvProblem(output: string, specs: readonly string[], bench: InstallContext): Problem | null {
  const wanted = specs.at(-1) ?? 'it';
  const words = output
    .split('\n')
    .filter((line) => !line.startsWith('DEBUG') && !line.startsWith('TRACE'))
    .join('\n');
  if (FULL.test(words)) return permanentProblem(`the disk is full; ${wanted} was not installed`);
  if (/[Hh]ash mismatch/.test(words))
    return permanentProblem(`what came is not what the index announced:\n${lastLines(words)}`);
  if (/is missing an upload date/.test(words)) return permanentProblem(UNDATED);
  if (/filtered by `?exclude-newer/.test(words)) return permanentProblem(allTooYoung(bench));
  if (UNREACHED.test(words) || OFFLINE.test(words))
    return temporaryProblem(
      `the Python index cannot be reached, and no folder of wheels has ${wanted} (tools.wheels in config.json names one):\n${lastLines(words)}`,
    );
  if (!/No solution found/.test(words)) return null;
  const flat = words.replaceAll(/\s+/g, ' ');
  if (/was not found in the|there (?:are|is) no versions? of|has no wheels|no usable wheels/.test(flat))
    return permanentProblem(
      `no wheel of ${wanted} fits this machine, or there is none of that name:\n${flat.slice(0, 1000)}`,
    );
  return permanentProblem(`${CONFLICT}:\n${flat.slice(0, 1000)}`);
}

/** A variable beats a file, an earlier file beats later ones. */
export function readPipSettings({ env, files }: Manager): PipSettings {
  const tables = files.map((file) => parseSettings(file));
  const valueOf = (name: string): string | undefined =>
    env[`PIP_${name.toUpperCase().replaceAll('-', '_')}`] ?? tables.find((table) => table.has(name))?.get(name);
  const list = (name: string): string[] => (valueOf(name) ?? '').split(/[\s,]+/).filter((each) => each !== '');
  return {
    index: valueOf('index-url') ?? null,
    extra: list('extra-index-url'),
    links: list('find-links'),
    trusted: list('trusted-host'),
    isOffline: /^(?:1|true|yes|on)$/i.test(valueOf('no-index') ?? ''),
  };
}

/** The settings in [global], and in [download] and [install], which win. */
function parseSettings(file: string): ReadonlyMap<string, string> {
  const sections = new Map<string, Map<string, string>>();
  let section = new Map<string, string>();
  let last = '';
  for (const line of readTextOrEmpty(file).split('\n')) {
    const [, title] = /^\s*\[([^\]]+)\]/.exec(line) ?? [];
    const [, name, value = ''] = /^([A-Za-z][\w-]*)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    if (title !== undefined) sections.set(title, (section = sections.get(title) ?? new Map<string, string>()));
    else if (name !== undefined) section.set((last = name.replaceAll('_', '-')), value.trim());
    else if (/^\s+[^\s#;]/.test(line) && last !== '') section.set(last, `${section.get(last) ?? ''} ${line.trim()}`);
  }
  return new Map(['global', 'install', 'download'].flatMap((title) => [...(sections.get(title) ?? [])]));
}

function readTextOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // no configuration of the user
  }
}
