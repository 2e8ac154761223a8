/** Sites on this machine that record every byte that reaches them, under names that only a test resolves. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/cli.ts';
import { selfSigned } from '../../support/openssl.ts';

/** What a path answers with; every other one with a short page. */
export type Answer = { body?: string; type?: string; status?: number; headers?: Record<string, string>; hold?: true };
export type Answers = (path: string) => Answer | undefined;

export type HostileWeb = AsyncDisposable & {
  /** Origins: the two https sites, one without TLS, and a machine of the own network that nobody has opened. */
  shop: string;
  evil: string;
  plain: string;
  router: string;
  udp: number;
  /** Ports of the three sites. */
  ports: readonly number[];
  /** Every request, as `METHOD host path body`, and the ends of those that were never answered. */
  requests: string[];
  /** Every byte, encrypted or not. */
  raw: string[];
};

export async function openHostileWeb(answers: Answers): Promise<HostileWeb> {
  const folder = temporaryFolder();
  selfSigned(folder.dir, 'sites', ['shop.test', 'evil.test']);
  const read = (name: string): string => readFileSync(join(folder.dir, name), 'utf8');
  const pair = { key: read('sites.key'), cert: read('sites.crt') };
  const [requests, raw]: [string[], string[]] = [[], []];
  const take = (request: IncomingMessage, response: ServerResponse): void =>
    answer(request, response, answers, requests);
  const servers = [createSecure(pair, take), createSecure(pair, take), createServer(take), createServer(take)];
  const ports = await Promise.all(servers.map((server) => listen(server as Server, requests, raw)));
  const udp = await listenUdp(raw);
  return {
    shop: `https://shop.test:${ports[0]}`,
    evil: `https://evil.test:${ports[1]}`,
    plain: `http://plain.test:${ports[2]}`,
    router: `http://127.0.0.1:${ports[3]}`,
    udp: udp.address().port,
    ports: ports.slice(0, 3),
    requests,
    raw,
    async [Symbol.asyncDispose]() {
      udp.close();
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      folder[Symbol.dispose]();
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, answers: Answers, requests: string[]): void {
  const path = request.url ?? '';
  let body = '';
  request.on('data', (chunk: Buffer) => void (body += chunk.toString('latin1')));
  request.on('error', () => undefined);
  request.on('end', () => {
    const { host, cookie = '', authorization = '', referer = '' } = request.headers;
    const proxy = request.headers['proxy-authorization'] ?? '';
    const words = [request.method, host, path, body, cookie, authorization, referer, request.headers['x-value'], proxy];
    requests.push(words.join(' '));
    const { hold, status = 200, type = 'text/html', headers = {}, body: text = '<p>Nothing' } = answers(path) ?? {};
    response.writeHead(status, {
      'content-type': type,
      'access-control-allow-origin': '*',
      'access-control-allow-headers': '*',
      'access-control-allow-methods': '*',
      ...headers,
    });
    if (hold !== true) return void response.end(text);
    response.write(text);
    response.on('close', () => void requests.push(`CLOSED ${path}`));
  });
}

async function listen(server: Server, requests: string[], raw: string[]): Promise<number> {
  const note = (socket: Socket): void => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => raw.push(data.toString('latin1')));
  };
  server.on('connection', note);
  server.on('secureConnection', (socket: Socket & { servername?: string }) => {
    raw.push(`for ${socket.servername}`);
    note(socket);
  });
  server.on('clientError', (_error, socket) => void socket.destroy());
  server.on('upgrade', (request: IncomingMessage, socket: Socket) => {
    requests.push(`UPGRADE ${request.headers.host} ${request.url}`);
    socket.destroy();
  });
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

async function listenUdp(raw: string[]): Promise<UdpSocket> {
  const socket = createSocket('udp4', (data) => void raw.push(`UDP ${data.toString('latin1')}`));
  await new Promise<void>((done) => void socket.bind(0, '127.0.0.1', done));
  return socket;
}
