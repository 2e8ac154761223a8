/**
 * Owns: finding out where packages come from, by asking the package managers themselves.
 *
 * G1 They are asked in a folder and with a home that no command of a task can write: what is there decides who may be
 *    reached and which authorities are trusted, so a task must not be able to add to it.
 * G2 Of an address host, port and path are taken; the credentials that such addresses often carry go nowhere.
 * G3 A package manager that is not there, or does not answer, has no registries. That is no failure.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Registry } from '../../core/guard/egress-rule.ts';

export type Asking = {
  /** A folder that only the operator can write. */
  cwd: string;
  /** The operator's own environment, where these tools find their settings. */
  env: Readonly<Record<string, string>>;
};

/** The operator's settings of the package managers. Addresses have no credentials (G2). */
export type PackageSettings = {
  /** By the name of the setting: `registry`, and `@scope:registry` for each scope that has its own. */
  npm: Readonly<Record<string, string>>;
  /**
   * The file with npm's settings for the whole machine, if there is one. npm finds it by its prefix; commands are given
   * another prefix, so they need it in their environment.
   */
  npmGlobalConfig: string | null;
  /** `usual` are the places that pip uses where no index is set. */
  pip: { index: string | null; extra: readonly string[]; usual: readonly string[] };
  /** Files with authorities that registries are trusted by: `cafile` of npm, `cert` of pip. */
  authorities: readonly string[];
};

const TIMEOUT_MS = 60_000; // a busy machine takes its time, and without an answer the operator's registries are not known
/** What pip reports as its default when nothing is set. */
const PIP_DEFAULTS =
  'from pip._internal.models.index import PyPI as p; print(p.simple_url, "https://" + p.file_storage_domain)';

export async function askPackageManagers(asking: Asking): Promise<PackageSettings> {
  const [npm, pip] = await Promise.all([askNpm(asking), askPip(asking)]);
  return {
    npm: npm.registries,
    npmGlobalConfig: npm.globalConfig,
    pip: pip.indexes,
    authorities: [...npm.authorities, ...pip.authorities],
  };
}

export function registriesIn({ npm, pip }: PackageSettings): Registry[] {
  const urls = [...Object.values(npm), ...(pip.index === null ? [] : [pip.index]), ...pip.extra, ...pip.usual];
  return mergeRegistries(urls.flatMap(parseRegistry));
}

function mergeRegistries(registries: readonly Registry[]): Registry[] {
  const groups = Object.groupBy(registries, ({ host, port }) => `${host} ${port}`);
  return Object.values(groups).flatMap((same = []) => {
    const bases = [...new Set(same.flatMap((each) => each.bases ?? []))];
    return same.slice(-1).map((registry) => ({ ...registry, bases }));
  });
}

type NpmSettings = { registries: Record<string, string>; globalConfig: string | null; authorities: string[] };

async function askNpm(asking: Asking): Promise<NpmSettings> {
  const settings = parseObject(await runForOutput('npm', ['config', 'list', '--long', '--json'], asking));
  const registries = Object.entries(settings).flatMap(([name, value]) => {
    const url = /^(@[^:]+:)?registry$/.test(name) && typeof value === 'string' ? parseAddress(value) : null;
    return url === null ? [] : [[name, url.href] as const];
  });
  const { cafile, globalconfig } = settings;
  return {
    registries: Object.fromEntries(registries),
    globalConfig: typeof globalconfig === 'string' && existsSync(globalconfig) ? globalconfig : null,
    authorities: typeof cafile === 'string' ? [cafile] : [],
  };
}

async function askPip(asking: Asking): Promise<{ indexes: PackageSettings['pip']; authorities: string[] }> {
  const lines = (await runForOutput('python3', ['-m', 'pip', 'config', 'list'], asking)).split('\n');
  const index = addressesIn(strongestFirst(lines, 'index-url'))[0] ?? null;
  const extra = addressesIn(strongestFirst(lines, 'extra-index-url'));
  const usual = index === null ? await runForOutput('python3', ['-I', '-c', PIP_DEFAULTS], asking) : '';
  const [cert] = strongestFirst(lines, 'cert');
  return {
    indexes: { index, extra, usual: addressesIn([usual]) },
    authorities: cert === undefined ? [] : [cert.replaceAll(/^['"]|['"]$/g, '')],
  };
}

/** The values of a setting: what the environment says goes before what a command and what all commands are set to. */
function strongestFirst(lines: readonly string[], setting: string): string[] {
  const found = lines.flatMap((line) => {
    const [, section = '', name, value = ''] = /^(.*)\.([\w-]+)=(.*)$/.exec(line) ?? [];
    return name === setting ? [{ rank: section === ':env:' ? 0 : section === 'global' ? 2 : 1, value }] : [];
  });
  return found.toSorted((a, b) => a.rank - b.rank).map(({ value }) => value.replaceAll('\\n', ' '));
}

function addressesIn(texts: readonly string[]): string[] {
  const urls = texts.join(' ').match(/https?:\/\/[^\s'"\\,]+/g) ?? [];
  return urls.flatMap((url) => parseAddress(url)?.href ?? []);
}

function parseAddress(text: string): URL | null {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  url.username = '';
  url.password = '';
  return url;
}

function parseRegistry(text: string): Registry[] {
  const url = parseAddress(text);
  if (url === null) return [];
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const isPlain = url.protocol === 'http:';
  const bases = [url.pathname.replace(/\/?$/, '/')];
  return [{ host, port: Number(url.port || (isPlain ? 80 : 443)), ...(isPlain ? { isPlain } : {}), bases }];
}

async function runForOutput(program: string, args: readonly string[], { cwd, env }: Asking): Promise<string> {
  try {
    const options = { cwd, env: { ...env }, timeout: TIMEOUT_MS, maxBuffer: 4_194_304 };
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch {
    return ''; // a package manager that is not there, or fails, has no settings
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
