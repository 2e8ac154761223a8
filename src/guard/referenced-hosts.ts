/**
 * Owns: the hosts that a command would reach without naming them: those of a repository's remotes, and URLs in a script
 * that it runs. Whoever approves the command sees them, and it reaches these and no others.
 *
 * A host that is missed here is refused by the proxy, so nothing depends on finding all of them.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { dirname, extname, isAbsolute, join, resolve } from 'node:path';
import type { Classified, Command } from '../schema/command.ts';
import { errnoOf } from '../schema/errors.ts';
import { isInFolder, type OpenFolder } from '../schema/folder.ts';

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

/** A line that is `git push` and nothing else, with words that no shell expands. */
const PLAIN_PUSH =
  /^\s*(?:set -e; *)?git push(?: +(?:-u|--set-upstream|--tags|--all|--quiet|-q))*(?: +[\w./+:@-]+){0,2}\s*$/;

/**
 * The classification of a push to a remote that is a repository on the desk, or in a folder that the task may change. It
 * needs no network, and gets none: should the remote change before it runs, nothing is reached.
 */
export function withLocalRemote(
  command: Command,
  found: Classified,
  place: { dir: string; desk: string; folders: readonly OpenFolder[] },
  classify: (command: Command) => Classified,
): Classified {
  if (found.class !== 'external_mutation' || found.hosts.length > 0) return found;
  const lines = ('argv' in command ? command.argv.join(' ') : command.line).split('\n');
  const pushes = lines.filter((line) => PLAIN_PUSH.test(line));
  if (pushes.length === 0 || !pushes.every((line) => isLocalPush(line, place))) return found;
  const rest = classify({ line: lines.map((line) => (PLAIN_PUSH.test(line) ? 'true' : line)).join('\n') });
  if (rest.class === 'external_mutation' || rest.class === 'deny') return found;
  const { programs, paths } = found;
  return { ...rest, programs, paths, class: 'write_local', reason: 'git push works with a repository of the task' };
}

function isLocalPush(
  line: string,
  { dir, desk, folders }: { dir: string; desk: string; folders: readonly OpenFolder[] },
): boolean {
  const writable = [desk, ...folders.filter(({ access }) => access === 'write').map(({ path }) => path)];
  const remotes = chosenRemotes(line.split(/\s+/), dir, desk);
  const isLocal = ({ url }: Remote): boolean =>
    isAbsolute(url) && !url.includes('..') && writable.some((folder) => isInFolder(url, folder));
  return remotes.length > 0 && remotes.every(isLocal);
}

/** Hosts of the remotes that are named in the command; if none is, of origin. */
function remoteHosts(words: readonly string[], dir: string, desk: string): string[] {
  return chosenRemotes(words, dir, desk).flatMap(({ url }) => hostOfRemote(url) ?? []);
}

function chosenRemotes(words: readonly string[], dir: string, desk: string): Remote[] {
  const remotes = remotesIn(readRepositoryConfig(dir, desk));
  const named = remotes.filter(({ name }) => words.includes(name));
  return named.length > 0 ? named : remotes.filter(({ name }) => name === 'origin');
}

type Remote = { name: string; url: string };

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
