/**
 * Owns: a CONNECT, from the question to the last byte.
 *
 * U1 Nothing goes to the other side before it is allowed, and what came with the question goes first.
 * U2 When one side breaks off, the other is ended; when one only stops sending, the other may still finish.
 * U3 A tunnel that is idle, too old or too full is ended, and so is one whose ticket was revoked.
 */
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Gate } from './claim-gate.ts';
import { meter } from './meter.ts';
import type { Limits } from './limits.ts';

/** Joins two connected sockets until one of them is gone. */
export function joinSockets(client: Socket, upstream: Socket, limits: Limits, lifeMs: number, gate?: Gate): void {
  const end = (): void => {
    client.destroy();
    upstream.destroy();
  };
  const timer = setTimeout(end, lifeMs);
  const failed = (error: unknown): void => {
    if (error) end();
  };
  const patience = (ms: number): void => {
    for (const socket of [client, upstream]) socket.setTimeout(ms);
  };
  for (const socket of [client, upstream]) {
    socket.setTimeout(limits.idleMs, end);
    socket.once('end', () => patience(Math.min(limits.idleMs, HALF_OPEN_MS)));
    socket.once('close', () => {
      clearTimeout(timer);
      end();
    });
  }
  pipeline(client, meter(limits.upBytes, gate), upstream, failed);
  pipeline(upstream, meter(limits.downBytes), client, failed);
}

/** Answers a CONNECT that is not granted, and hangs up however long the client would stay. */
export function refuseConnect(client: Socket, status: string, reason: string, headers: readonly string[] = []): void {
  const body = `${reason}\n`;
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...headers,
  ];
  const timer = setTimeout(() => client.destroy(), LINGER_MS).unref();
  client.once('close', () => clearTimeout(timer));
  client.resume();
  client.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const LINGER_MS = 2000;
/** A client that vanished cannot be distinguished from one that has only stopped sending. */
const HALF_OPEN_MS = 30_000;
