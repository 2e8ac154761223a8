/** Owns: where things are and how they are set. The only reader of the environment. */
import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeErrno } from '../core/ledger/disk.ts';
import { messageOf, OkaError } from '../core/schema/errors.ts';
import type { FolderPlaces } from '../core/guard/folder-paths.ts';
import type { VaultPlaces } from './vault/open-vault.ts';
import type { ModelEnvironment } from './models/model-environment.ts';
import type { ProviderDefinition } from '../core/schema/model-provider.ts';
import type { Config } from '../core/schema/config.ts';
import type { Home } from '../core/schema/home.ts';
import { type FleetEnvironment, readFleetEnvironment } from './fleet-environment.ts';
import { binFolders, shimFolder } from './sandbox/tool-links.ts';
import type { Machine } from './sandbox/system-package.ts';

/** The folder of this program. */
export const programFolder = fileURLToPath(new URL('../..', import.meta.url));

export function homeAt(dirOption: string | undefined): Home {
  const dir = resolve(dirOption ?? process.env['OKA_DIR'] ?? '.');
  const oka = join(dir, '.oka');
  return {
    dir,
    oka,
    workspace: join(dir, 'workspace'),
    ledgers: {
      run: join(oka, 'run_ledger.jsonl'),
      maintenance: join(oka, 'maintenance', 'maintenance_ledger.jsonl'), // its own folder: maintenance-folder.ts
    },
    config: join(oka, 'rules', 'config.json'),
    policy: join(oka, 'rules', 'POLICY.md'),
  };
}

/** Where the vault of a home is, and where its key may be: not beside it, a copy of the home must not open itself. */
export function vaultPlaces({ oka }: Home): VaultPlaces {
  const { XDG_CONFIG_HOME: set = '' } = process.env;
  return {
    file: join(oka, 'credentials.age'),
    lock: join(oka, 'locks', 'credentials.lock'),
    mounted: '/run/secrets/oka_identity',
    key: join(isAbsolute(set) ? set : join(userHome(), '.config'), 'oka', 'identity'),
  };
}

function userHome(): string {
  try {
    return homedir();
  } catch (error) {
    throw new OkaError('not-set-up', 'this user has no home folder, and the key of the vault belongs there', {
      fix: 'Set HOME or XDG_CONFIG_HOME to a folder that only this user can read.',
      cause: error,
    });
  }
}

/** What this user knows about homes, outside of them: notes with their anchors, and the keys that sign these. */
export function userPlaces(): { notes: string; keys: string; config: string } {
  const { XDG_STATE_HOME: state = '', XDG_CONFIG_HOME: config = '' } = process.env;
  const settings = isAbsolute(config) ? config : join(userHome(), '.config');
  return {
    config: settings,
    notes: join(isAbsolute(state) ? state : join(userHome(), '.local', 'state'), 'oka', 'homes'),
    keys: join(settings, 'oka', 'homes'),
  };
}

/** Where the add-ons of this user are; null where the user has no home. */
export function userAddOns(): string | null {
  const { XDG_DATA_HOME: data = '', HOME: home = '' } = process.env;
  const base = isAbsolute(data) ? data : isAbsolute(home) ? join(home, '.local', 'share') : null;
  return base === null ? null : join(base, 'oka', 'add-ons');
}

/** What of this machine and user is never opened to a task (core/guard/folder-paths.ts), besides the folders of the home. */
export function folderPlaces(home: { oka: string; workspace: string }): FolderPlaces {
  const { PATH = '' } = process.env;
  return {
    ...home,
    program: realpathSync(programFolder),
    user: userOrNull(),
    programFolders: PATH.split(':').filter((folder) => isAbsolute(folder)),
  };
}

function userOrNull(): string | null {
  try {
    return realpathSync(homedir());
  } catch {
    return null; // no home folder
  }
}

/** What commands see of the environment: enough to find programs, nothing that could be a secret. */
export function commandEnvironment(home: Home): Record<string, string> {
  const { PATH: system = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8', TZ } = process.env;
  const tools = join(home.oka, 'tools');
  const PATH = [shimFolder(tools), ...binFolders(tools), dirname(process.execPath), system].join(':'); // `node` is the Node that oka itself runs on
  const globals = join(tools, 'node', 'bin');
  const found = {
    NODE_PATH: join(tools, 'node', 'lib', 'node_modules'),
    npm_config_prefix: join(tools, 'node'),
    PNPM_HOME: globals,
    pnpm_config_global_bin_dir: globals,
  };
  const HOME = join(home.workspace, 'desk');
  return { PATH, LANG, ...found, ...certificates(), HOME, ...(TZ === undefined ? {} : { TZ }) };
}

/** The editor of the person at the terminal; null when none is set. */
export function editorCommand(): string | null {
  const { VISUAL = '', EDITOR = '' } = process.env;
  return VISUAL || EDITOR || null;
}

/** What npm and pip go by when they are asked for the operator's own settings; never given to a command of a task. */
export function packageEnvironment(): Record<string, string> {
  const wanted = /^(PATH|HOME|LANG|XDG_CONFIG_HOME|XDG_CONFIG_DIRS|PYENV_\w+|npm_config_\S+|PIP_\w+)$/i;
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      wanted.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  );
}

/** What the installer's own programs see: those of the system, none that was installed. */
export function installerEnvironment(): Record<string, string> {
  const { PATH: system = '/usr/local/bin:/usr/bin:/bin', LANG = 'C.UTF-8' } = process.env;
  return { PATH: [dirname(process.execPath), system].join(':'), LANG, ...certificates() };
}

/** Files with the authorities that the operator trusts, where they are not only those of the system. */
function certificates(): Record<string, string> {
  const names = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** The same as paths, for whoever may read little else: they contain no secrets. */
export function certificateFiles(): string[] {
  return [...new Set(Object.values(certificates()))].filter((path) => isAbsolute(path) && existsSync(path));
}

/** The environment variables about models: two of oka itself, and those of the providers. */
export function modelEnvironment(providers: readonly ProviderDefinition[]): ModelEnvironment {
  const own = providers.flatMap(({ keyName, variables = [] }) => [
    ...variables,
    ...(keyName === null ? [] : [keyName]),
  ]);
  return Object.fromEntries(
    ['OKA_MODEL', 'OKA_CASSETTE', ...own].flatMap((name) => {
      const value = process.env[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
}

/** What is set about the replica; an empty one is as good as none. */
export function replicaEnvironment(): { url: string | null; key: string | null } {
  const { CONVEX_URL: url = '', OKA_REPLICA_KEY: key = '' } = process.env;
  return { url: url === '' ? null : url, key: key === '' ? null : key };
}

/** What is set about the fleet; null when this home works alone. */
export const fleetEnvironment = (): FleetEnvironment | null => readFleetEnvironment(process.env);

/** A proxy in a process of its own, and the file with the key that is shared with it. */
export type EgressProxy = { host: string; port: number; key: string | null };

/** Null: this process has network access, and its own proxy for commands. */
export function egressProxy(): EgressProxy | null {
  const { OKA_EGRESS: set = '', OKA_EGRESS_KEY: key = '' } = process.env;
  if (set === '') return null;
  const [, bracketed, name, port = ''] = /^(?:http:\/\/)?(?:\[([^\]]+)\]|([^:/@]+)):(\d{1,5})\/?$/.exec(set) ?? [];
  const host = bracketed ?? name;
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port), key: key === '' ? null : key };
  throw new OkaError('usage', `OKA_EGRESS is a host and a port, not "${set}"`, {
    fix: 'Such as: OKA_EGRESS=egress:3128',
  });
}

/** Whether the environment rules out questions at the start: the operator says so, or it is a build server. */
export function wantsNoSetup(): boolean {
  const { OKA_NO_SETUP: no = '', CI = '' } = process.env;
  return [no, CI].some((value) => value !== '' && !/^(0|false|no)$/i.test(value));
}

/** Whether systemd waits for a notice that oka is ready. */
export const isNoticeWanted = (): boolean => (process.env['NOTIFY_SOCKET'] ?? '') !== '';

/** Where programs are looked up. */
export const programPath = (): string => process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';

/** Whether folders are mounted that send no notice when something comes; then they are scanned more often. */
export function pollsOften(): boolean {
  return /^(1|true|yes)$/i.test(process.env['OKA_POLL'] ?? '');
}

/** Whether the paths we see are those of a container; a person knows the folders by other names. */
export function isInContainer(): boolean {
  return process.env['OKA_CONTAINER'] === '1';
}

/** Whether this process runs in any container, ours or somebody else's. OKA_CONTAINER=0 says no, for one with a desktop. */
export function isContained(): boolean {
  const said = process.env['OKA_CONTAINER'];
  return said === undefined ? existsSync('/.dockerenv') || existsSync('/run/.containerenv') : said === '1';
}

/** Whether whoever started this sits at another machine. */
export function isOverSsh(): boolean {
  return (process.env['SSH_CONNECTION'] ?? '') !== '';
}

/** Where the programs of this machine are. */
export const programFolders = (): string[] => (process.env['PATH'] ?? '').split(':').filter(isAbsolute);

/** The machine on which a person can install something; null in a container, whose image has to contain it. */
export function findMachine(managers: readonly Machine['manager'][]): Machine | null {
  const folders = programFolders();
  const manager = managers.find((name) => folders.some((folder) => existsSync(join(folder, name))));
  return isInContainer() || manager === undefined ? null : { manager, isRoot: process.getuid?.() === 0 };
}

/** A path as the person who owns the home knows it. */
export function shownPath({ dir }: Home, path: string): string {
  return isInContainer() ? relative(dir, path) : path;
}

export function programVersion(): string {
  const manifest = JSON.parse(readFileSync(join(programFolder, 'package.json'), 'utf8')) as { version: string };
  return manifest.version;
}

/** The model that the environment of this process names; an empty variable counts as not set. */
export function modelVariable(): string | null {
  const { OKA_MODEL: model = '' } = process.env;
  return model === '' ? null : model;
}

/** All variables of this process, for a command that the operator has configured. */
export const ownVariables = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** The settings of the product, with defaults; parts that rooms contribute are checked in room-config.ts. */
export async function loadConfig(home: Home): Promise<Config> {
  const { OwnConfig } = await import('../core/schema/config.ts');
  return parseConfig(home, OwnConfig);
}

export async function parseConfig<T>(home: Home, schema: { safeParse: (value: unknown) => Parsed<T> }): Promise<T> {
  const text = textOf(home.config) ?? '{}';
  const result = parsedOrRefused(home.config, () => schema.safeParse(JSON.parse(text)));
  if (result.success) return result.data;
  const { linesOfYaml } = await import('../core/schema/front-matter.ts'); // only a mistake needs it
  const lineOf = linesOfYaml(text);
  const problems = result.error.issues.map((issue) => describeIssue(issue, lineOf));
  throw new OkaError('invalid-file', `${home.config} is not valid:\n${problems.join('\n')}`, {
    fix: 'Correct these lines; `oka schema config` lists what is allowed.',
  });
}

type Issue = { code?: string; keys?: string[]; path: PropertyKey[]; message: string };

function describeIssue(issue: Issue, lineOf: (path: readonly PropertyKey[]) => number): string {
  const unknown = issue.code === 'unrecognized_keys' ? (issue.keys?.[0] ?? null) : null;
  const path = unknown === null ? issue.path : [...issue.path, unknown];
  const problem = unknown === null ? issue.message : 'there is no such setting';
  return `  line ${lineOf(path)}, ${path.map(String).join('.') || '(top)'}: ${problem}`;
}

type Parsed<T> = { success: true; data: T } | { success: false; error: { issues: Issue[] } };

function parsedOrRefused<T>(file: string, parse: () => Parsed<T>): Parsed<T> {
  try {
    return parse();
  } catch (error) {
    if (error instanceof OkaError) throw error;
    throw new OkaError('invalid-file', `${file}: ${messageOf(error)}`, { cause: error });
  }
}

function textOf(file: string): string | null {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return null;
    if (!found.isFile()) throw new OkaError('unsafe-file', `${file} is not a regular file`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw describeErrno(error, file);
  }
}

/** What a program that shows or passes on a message sees of the environment. */
export function messageEnvironment(): Record<string, string> {
  const names = [
    'PATH',
    'HOME',
    'LANG',
    'TZ',
    'DISPLAY',
    'WAYLAND_DISPLAY',
    'DBUS_SESSION_BUS_ADDRESS',
    'XDG_RUNTIME_DIR',
  ];
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/**
 * The environment of the worker and maintenance. By default glibc returns little of what their threads have freed: with
 * 100,000 events and vectors, a worker had 90 MB of it. What a person has set stays.
 */
export function supervisedEnvironment(): NodeJS.ProcessEnv {
  const returned = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
  return { ...returned, ...process.env };
}
