/** Owns: how a host is written in rules, approvals and commands, and whether it names one machine. Pure. */
import { isIP } from 'node:net';
import { isOwnNetwork } from './network-address.ts';

/** `git.example.org:8443` and `[2001:db8::1]:8443` have a port, `2001:db8::1` has none. */
export function splitHost(written: string): [name: string, port: number | null] {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(written) ?? [];
  return [bracketed ?? plain ?? written, port === undefined ? null : Number(port)];
}

/**
 * Whether whoever wrote this meant one machine, which may then be of their own network: an address, a name that exists
 * only there, or any name with its port. A public name without a port has to lead to a public address, so that nobody who
 * answers for that name can make it lead elsewhere.
 */
export function namesMachine(written: string): boolean {
  const [name, port] = splitHost(written);
  return !name.includes('*') && (port !== null || isIP(name) > 0 || isLocalName(name));
}

/** Whether this can only be a machine of the own network, or this one. */
export function isOwnMachine(written: string): boolean {
  const [name] = splitHost(written);
  return isIP(name) > 0 ? isOwnNetwork(name) : isLocalName(name);
}

/** Names that no public name server answers for. */
function isLocalName(name: string): boolean {
  return /^[a-z0-9_-]+$/i.test(name) || /\.(?:local|lan|home|internal|localdomain|home\.arpa)\.?$/i.test(name);
}
