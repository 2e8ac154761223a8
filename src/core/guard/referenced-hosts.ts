/**
 * Owns: the hosts that a command would reach without naming them: those of a repository's remotes, and URLs in a script
 * that it runs. Whoever approves the command sees them, and it reaches these and no others.
 *
 * A host that is missed here is refused by the proxy, so nothing depends on finding all of them.
 */
import { extname, resolve } from 'node:path';
import type { Classified, Command } from '../schema/command.ts';
import { type GitRemote, readRemotes, readTextFile } from './git-remotes.ts';

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
  return chosenRemotes(words, dir, desk).flatMap(({ url }) => hostOfRemote(url) ?? []);
}

function chosenRemotes(words: readonly string[], dir: string, desk: string): GitRemote[] {
  const remotes = readRemotes(dir, [desk]);
  const named = remotes.filter(({ name }) => words.includes(name));
  return named.length > 0 ? named : remotes.filter(({ name }) => name === 'origin');
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
    const text = readTextFile(resolve(dir, path)) ?? '';
    const urls = text.match(/\bhttps?:\/\/[a-z0-9.-]+(?::\d+)?(?=[/\s"'?#)]|$)/gim) ?? [];
    return urls.flatMap((url) => (URL.canParse(url) ? (hostWithPort(new URL(url)) ?? []) : []));
  });
}
