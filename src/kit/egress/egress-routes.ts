/**
 * Owns: the route by which steps, tools and models reach the network.
 *
 * D1 Where a proxy in a container of its own is named, nothing goes out past it; it has the network, this process has not.
 * D2 What a ticket for it says was decided here: the host of a call that was judged, the server of a model that a person
 *    configured. The proxy refuses what the policy forbids in any case, and checks every address.
 */
import { readFileSync } from 'node:fs';
import { isLoopback } from '../models/base-url.ts';
import type { Fetch } from '../../core/schema/model-provider.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Clock } from '../../core/schema/ports.ts';
import { proxyEnvironment } from './open-egress.ts';
import { fetchThrough } from './fetch-through.ts';
import { machineTime } from '../../core/ledger/machine-time.ts';
import { type TicketOwner, sealTicket } from './proxy-tickets.ts';
import type { NetOptions } from './http-client.ts';
import { type EgressPorts, type EgressAccess, localEgress, sharedEgress } from './egress-access.ts';
import { type EgressProxy, egressProxy } from '../settings.ts';

export type EgressRoutes = {
  steps: EgressAccess;
  tools: Pick<NetOptions, 'through'>;
  /** Left out: as Node itself does it. */
  models: { fetch?: Fetch };
};

const REQUEST_MS = 3_600_000;

export function egressRoutes(ports: EgressPorts): EgressRoutes {
  const proxy = egressProxy();
  if (proxy === null) return { steps: localEgress(ports), tools: {}, models: {} };
  const ticketFor = ticketsOf(proxy, ports.clock);
  return {
    steps: sharedEgress(proxy, keyOf(proxy), ports.clock),
    tools: {
      through: async (host, port, isOpened) =>
        ticketFor(isOpened ? { servers: [hostAndPort(host, port)] } : { hosts: [hostAndPort(host, port)] }),
    },
    models: serverRoute(ports.clock),
  };
}

/** To a server that a person configured, such as that of a model or of the replica. Left out: as Node itself does it. */
export function serverRoute(clock: Clock): { fetch?: Fetch } {
  const proxy = egressProxy();
  if (proxy === null) return {};
  const ticketFor = ticketsOf(proxy, clock);
  return {
    fetch: fetchThrough(async (url) => {
      const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
      return isLoopback(url.href) ? null : ticketFor({ servers: [hostAndPort(url.hostname, port)] });
    }),
  };
}

function ticketsOf(proxy: EgressProxy, clock: Clock): (holder: Partial<TicketOwner>) => Record<string, string> {
  const key = keyOf(proxy);
  return (holder) =>
    proxyEnvironment(
      proxy,
      key &&
        sealTicket(key, { run: null, call: null, hosts: [], ...holder }, REQUEST_MS, { clock, machine: machineTime }),
    );
}

const hostAndPort = (host: string, port: number): string => (/^[^[].*:/.test(host) ? `[${host}]` : host) + `:${port}`;

function keyOf({ key }: EgressProxy): Buffer | null {
  if (key === null) return null;
  try {
    return readFileSync(key);
  } catch (error) {
    throw new OkaError('not-set-up', `the key of the egress proxy cannot be read: ${messageOf(error)}`, {
      fix: 'OKA_EGRESS_KEY names the file that `oka egress --key` was given. In Docker: docker compose up init',
      cause: error,
    });
  }
}
