/**
 * Owns: the hosts that a command would reach without naming them: those of a repository's remotes, and URLs in a script
 * that it runs. Whoever approves the command sees them, and it reaches these and no others.
 *
 * A host that is missed here is refused by the proxy, so nothing depends on finding all of them.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import type { Classified, Command } from '../schema/command.ts';
import { errnoOf } from '../schema/errors.ts';

const MOST_BYTES = 512 * 1024;
const MOST_FILES = 50;
const MOST_HOSTS = 30;
const SCRIPTS = new Set(['', '.sh', '.bash', '.zsh', '.py', '.js', '.mjs', '.cjs', '.ts', '.rb', '.pl', '.php']);

/** The classification of an external change with the hosts it refers to; `desk` bounds the search for a repository. */
export function withReferencedHosts(command: Command, found: Classified, dir: string, desk: string): Classified {
  if (found.class !== 'external_mutation') return found;
  const words = 'argv' in command ? command.argv : command.line.split(/[\s;|&<>()"'`]+/);
  const remotes = found.programs.includes('git') ? remoteHosts(words, dir, desk) : [];
  const hosts = [...new Set([...found.hosts, ...remotes, ...scriptHosts(found.paths, dir)])].slice(0, MOST_HOSTS);
  return { ...found, hosts, net: found.net || hosts.length > 0 };
}

/** Hosts of the remotes that are named in the command; if none is, of origin. */
function remoteHosts(words: readonly string[], dir: string, desk: string): string[] {
  const remotes = remotesIn(readRepositoryConfig(dir, desk));
  const named = remotes.filter(({ name }) => words.includes(name));
  const chosen = named.length > 0 ? named : remotes.filter(({ name }) => name === 'origin');
  return chosen.flatMap(({ url }) => hostOfRemote(url) ?? []);
}

function readRepositoryConfig(dir: string, desk: string): string {
  for (let at = resolve(dir); at === desk || at.startsWith(`${desk}/`); at = dirname(at)) {
    const config = readText(join(at, '.git', 'config'));
    if (config !== null) return config;
  }
  return '';
}

function remotesIn(config: string): { name: string; url: string }[] {
  const found: { name: string; url: string }[] = [];
  let remote: string | null = null;
  for (const line of config.split('\n').map((each) => each.trim())) {
    if (line.startsWith('[')) remote = /^\[remote "([^"]+)"\]/.exec(line)?.[1] ?? null;
    const url = remote === null ? undefined : /^(?:push)?url\s*=\s*"?([^"\s]+)/i.exec(line)?.[1];
    if (remote !== null && url !== undefined) found.push({ name: remote, url });
  }
  return found;
}

/** `https://host/…`, `ssh://git@host:22/…` or `git@host:path`; null for a folder of this machine. */
function hostOfRemote(url: string): string | null {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url)) return URL.canParse(url) ? hostWithPort(new URL(url)) : null;
  const host = /^(?:[^@/\s]+@)?([a-z0-9.-]+\.[a-z0-9-]+):(?!\/\/)/i.exec(url)?.[1];
  return host === undefined ? null : `${host.toLowerCase()}:22`;
}

function hostWithPort({ hostname, port, protocol }: URL): string | null {
  if (hostname === '') return null;
  const known = port === '' && protocol === 'ssh:' ? '22' : port;
  return known === '' ? hostname.toLowerCase() : `${hostname.toLowerCase()}:${known}`;
}

/** Hosts of complete URLs in the scripts that a command names. */
function scriptHosts(paths: readonly string[], dir: string): string[] {
  const scripts = paths.filter((path) => SCRIPTS.has(extname(path).toLowerCase())).slice(0, MOST_FILES);
  return scripts.flatMap((path) => {
    const text = readText(resolve(dir, path)) ?? '';
    const urls = text.match(/\bhttps?:\/\/[a-z0-9.-]+(?::\d+)?(?=[/\s"'?#)]|$)/gim) ?? [];
    return urls.flatMap((url) => (URL.canParse(url) ? (hostWithPort(new URL(url)) ?? []) : []));
  });
}

/** Null if it is not a text file of moderate size. Reading never blocks. */
function readText(path: string): string | null {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile() || stats.size > MOST_BYTES) return null;
      const bytes = Buffer.alloc(stats.size);
      const text = bytes.toString('utf8', 0, readSync(fd, bytes, 0, stats.size, 0));
      return text.includes('\0') ? null : text;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return null;
  }
}
