/** Owns: connecting to one of the addresses that were checked; no name is resolved here. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import type { Address } from './http-client.ts';

type Connected = { socket: Socket } | { problem: string };

/** Tries them in their order, each for its share of the time. */
export async function connectTo(
  addresses: readonly Address[],
  port: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Connected> {
  let problem = 'no address';
  for (const { address } of addresses) {
    if (signal.aborted) return { problem: 'nobody waits for it any more' };
    const socket = connect({ host: address, port, allowHalfOpen: true, noDelay: true });
    const late = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs / addresses.length)]);
    try {
      await once(socket, 'connect', { signal: late });
      return { socket };
    } catch (error) {
      socket.destroy();
      problem = late.aborted ? `no answer from ${address}` : (errnoOf(error) ?? messageOf(error));
    }
  }
  return { problem };
}
