/**
 * Owns: the hosts that a person names with an approval, for a command whose hosts cannot be read from its words. Pure.
 *
 * Each is a host or host:port, as for a rule of the policy: without a port it is 80 and 443. Whether it may be a machine
 * of the own network is decided by host-names.ts.
 */
import { isIP } from 'node:net';
import { OkaError } from '../schema/errors.ts';
import { namesMachine } from './host-names.ts';

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

/** Machines that a person named may be of their own network (`servers`); all other hosts have to be public. */
export function splitApprovedHosts(hosts: readonly string[]): { hosts: string[]; servers: string[] } {
  return { hosts: hosts.filter((host) => !namesMachine(host)), servers: hosts.filter(namesMachine) };
}
