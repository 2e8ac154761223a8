/**
 * Owns: the hosts that a person names with an approval, for a command whose hosts cannot be read from its words. Pure.
 *
 * Each is a host or host:port, as for a rule of the policy: without a port it is 80 and 443. A machine of the own network
 * has to be named by its address, so that no name server can decide that a public name leads there.
 */
import { isIP } from 'node:net';
import { OkaError } from '../schema/errors.ts';

const MOST_HOSTS = 20;
const SHAPE = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*))(?::(\d{1,5}))?$/;

/** The hosts in words such as `git.example.org` and `10.0.0.5:3000`; throws when one of them is no host. */
export function parseApprovedHosts(words: readonly string[]): string[] {
  const hosts = [...new Set(words.map((word) => parseHost(word.trim().toLowerCase())))];
  if (hosts.length <= MOST_HOSTS) return hosts;
  throw new OkaError('usage', `an approval can name ${MOST_HOSTS} hosts, not ${hosts.length}`);
}

function parseHost(word: string): string {
  const [, bracketed, name, port = '443'] = SHAPE.exec(word.replace(/\.$/, '')) ?? [];
  const isHost = bracketed === undefined ? name !== undefined : isIP(bracketed) === 6;
  if (isHost && Number(port) >= 1 && Number(port) <= 65_535) return word.replace(/\.$/, '');
  throw new OkaError('usage', `"${word.slice(0, 100)}" is not a host`, {
    fix: 'Write a host or host:port, such as git.example.org or 10.0.0.5:3000.',
  });
}

/** Addresses may be of the operator's own network; names have to be public. */
export function splitApprovedHosts(hosts: readonly string[]): { hosts: string[]; servers: string[] } {
  const isAddress = (host: string): boolean => {
    const [, bracketed, name = ''] = SHAPE.exec(host) ?? [];
    return isIP(bracketed ?? name) > 0 || name === 'localhost';
  };
  return { hosts: hosts.filter((host) => !isAddress(host)), servers: hosts.filter(isAddress) };
}
