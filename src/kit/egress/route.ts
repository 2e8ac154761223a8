/**
 * Owns: whether a connection may be made, and to which addresses exactly.
 *
 * R1 The policy decides by name first; a name that is not allowed is not even resolved.
 * R2 A name is resolved once, every address is checked, and only those go on: a second answer of the name server
 *    changes nothing.
 */
import { lookup as resolveName } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Allows, includesHost, type Registry } from '../../core/guard/egress-rule.ts';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import { isOwnNetwork, isPublic } from '../../core/guard/network-address.ts';
import type { Address } from './http-client.ts';
import type { Target } from './proxy-target.ts';
import type { TicketOwner } from './proxy-tickets.ts';

export type RouteOptions = {
  allows: Allows;
  lookup?: (host: string) => Promise<readonly Address[]>;
  /** Addresses that may be reached although they are not public; none when left out. */
  allowPrivate?: (address: string, port: number) => boolean;
};

type Route =
  | { verdict: 'allowed'; reason: string; addresses: readonly Address[]; registry: Registry | null }
  | { verdict: 'refused'; reason: string }
  | { verdict: 'unknown'; reason: string };

const MAX_ADDRESSES = 4;

/** Unknown is a name that no server knows, or that could not be asked about in time. */
export async function chooseRoute(
  target: Target,
  { hosts, servers, onlyHosts }: Pick<TicketOwner, 'hosts' | 'servers' | 'onlyHosts'>,
  options: RouteOptions,
  signal: AbortSignal,
): Promise<Route> {
  if (onlyHosts !== undefined && !includesHost(onlyHosts, target.host, target.port))
    return {
      verdict: 'refused',
      reason: `this step has a secret, which belongs to ${onlyHosts.join(', ') || 'no host'}`,
    };
  const verdict = options.allows(target.host, target.port, hosts, servers);
  if (verdict.verdict === 'refused') return verdict;
  const found = await resolveAddresses(target.host, options, signal);
  if ('problem' in found) return { verdict: 'unknown', reason: `${target.host}: ${found.problem}` };
  const addresses = found.filter(({ address }) => isReachable(address, target.port, verdict.reach, options));
  if (addresses.length > 0)
    return {
      verdict: 'allowed',
      reason: verdict.reason,
      addresses: addresses.slice(0, MAX_ADDRESSES),
      registry: verdict.registry ?? null,
    };
  const where = found.map(({ address }) => address).slice(0, 3);
  return {
    verdict: 'refused',
    reason: `${target.host} is at ${where.join(', ') || 'no address'}, which is not public`,
  };
}

function isReachable(
  address: string,
  port: number,
  reach: 'public' | 'own network',
  { allowPrivate }: RouteOptions,
): boolean {
  if (isIP(address) === 0) return false;
  if (isPublic(address) || allowPrivate?.(address, port) === true) return true;
  return reach === 'own network' && isOwnNetwork(address);
}

type Unfound = { problem: string };

async function resolveAddresses(
  host: string,
  { lookup }: RouteOptions,
  signal: AbortSignal,
): Promise<readonly Address[] | Unfound> {
  if (isIP(host) > 0) return [{ address: host, family: isIP(host) }];
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(new Error('the name server did not answer in time'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([lookup?.(host) ?? resolveName(host, { all: true }), stopped]);
  } catch (error) {
    return { problem: errnoOf(error) ?? messageOf(error) };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
