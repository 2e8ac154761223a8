/**
 * Owns: finding out where packages come from, by asking the package managers themselves.
 *
 * G1 They are asked in a folder and with a home that no command of a task can write: what is there decides who may be
 *    reached, so a task must not be able to add to it.
 * G2 Only host, port and path are taken; the credentials that such addresses often carry go nowhere.
 * G3 A package manager that is not there, or does not answer, has no registries. That is no failure.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Registry } from '../../guard/egress-rule.ts';

export type Asking = {
  /** A folder that only the operator can write. */
  cwd: string;
  /** The operator's own environment, where these tools find their settings. */
  env: Readonly<Record<string, string>>;
};

const TIMEOUT_MS = 15_000;
/** What pip reports as its default when nothing is set. */
const PIP_DEFAULTS =
  'from pip._internal.models.index import PyPI as p; print(p.simple_url, "https://" + p.file_storage_domain)';

export async function findRegistries(asking: Asking): Promise<Registry[]> {
  const found = await Promise.all([npmUrls(asking), pipUrls(asking)]);
  return mergeRegistries(found.flat().flatMap(parseRegistry));
}

function mergeRegistries(registries: readonly Registry[]): Registry[] {
  const groups = Object.groupBy(registries, ({ host, port }) => `${host} ${port}`);
  return Object.values(groups).flatMap((same = []) => {
    const bases = [...new Set(same.flatMap((each) => each.bases ?? []))];
    return same.slice(-1).map((registry) => ({ ...registry, bases }));
  });
}

/** `registry`, and `@scope:registry` for each scope that has its own. */
async function npmUrls(asking: Asking): Promise<string[]> {
  const settings = parseObject(await runForOutput('npm', ['config', 'list', '--long', '--json'], asking));
  return Object.entries(settings).flatMap(([name, value]) =>
    /^(@[^:]+:)?registry$/.test(name) && typeof value === 'string' ? [value] : [],
  );
}

async function pipUrls(asking: Asking): Promise<string[]> {
  const lines = (await runForOutput('python3', ['-m', 'pip', 'config', 'list'], asking)).split('\n');
  const set = lines
    .filter((line) => /^[^=]*\.(extra-)?index-url=/.test(line))
    .map((line) => line.replaceAll('\\n', ' '));
  const urls = set.join(' ').match(/https?:\/\/[^\s'"\\,]+/g) ?? [];
  const replaced = set.some((line) => /^[^=]*\.index-url=/.test(line));
  const usual = replaced ? '' : await runForOutput('python3', ['-I', '-c', PIP_DEFAULTS], asking);
  return [...urls, ...usual.split(/\s+/)];
}

function parseRegistry(text: string): Registry[] {
  const url = URL.parse(text.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return [];
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const isPlain = url.protocol === 'http:';
  return [
    {
      host,
      port: Number(url.port || (isPlain ? 80 : 443)),
      ...(isPlain ? { isPlain } : {}),
      bases: [url.pathname.replace(/\/?$/, '/')],
    },
  ];
}

async function runForOutput(program: string, args: readonly string[], { cwd, env }: Asking): Promise<string> {
  try {
    const options = { cwd, env: { ...env }, timeout: TIMEOUT_MS, maxBuffer: 4_194_304 };
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch {
    return '';
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
