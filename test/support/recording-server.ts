/** A server on loopback that records who was asked for what, such as "nas POST". */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function openRecordingServer(name: string, requests: string[]): Promise<Server> {
  const server = createServer((request, response) => {
    requests.push(`${name} ${request.method}`);
    response.end('ok\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;
