/** What a server sees of the idempotency key of a step, in plain requests and inside an encrypted tunnel. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTlsServer, request as httpsRequest } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { createAuthority } from '../../../src/kit/egress/certificates.ts';
import { dial, groundFor, listen, say } from './support.ts';

const KEY = { run: 'r1', call: 'r1.n1.1', hosts: [], idempotencyKey: 'order-4711' };

function basicOf({ env }: { env: Readonly<Record<string, string>> }): string {
  const { username, password } = new URL(env['HTTP_PROXY'] ?? '');
  return Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
}

it('a plain request has the key of its step, unless it has one of its own', async () => {
  const seen: (string | string[] | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    seen.push(headers['idempotency-key']);
    response.end('hello');
  });
  const port = await listen(server);
  const { egress } = await groundFor(port);
  using grant = egress.grant(KEY);
  const post = (more: string): Promise<string> =>
    say(
      egress.port,
      `POST http://site.test:${port}/ HTTP/1.1\r\nContent-Length: 0\r\n${more}Proxy-Authorization: Basic ${basicOf(grant)}\r\nConnection: close\r\n\r\n`,
    );
  await post('');
  await post('Idempotency-Key: its-own\r\n');
  expect(seen).toEqual(['order-4711', 'its-own']);
});

it('an encrypted request has it, too', async () => {
  const site = createAuthority();
  const seen: IncomingHttpHeaders[] = [];
  const server = createTlsServer(site.issue('site.test', Date.now()), (request, response) => {
    seen.push(request.headers);
    request.resume().on('end', () => response.end('hello'));
  });
  const port = await listen(server);
  const trusted = [site.certificate(Date.now())];
  const { egress } = await groundFor(port, { authority: createAuthority(), trusted });
  using grant = egress.grant(KEY);
  const client = await dial(egress.port);
  client.socket.write(`CONNECT site.test:${port} HTTP/1.1\r\nProxy-Authorization: Basic ${basicOf(grant)}\r\n\r\n`);
  await client.until('200 Connection established\r\n\r\n');
  const secure = connect({ socket: client.socket, servername: 'site.test', ca: grant.authority ?? '' });
  await once(secure, 'secureConnect');
  const asked = httpsRequest({ createConnection: () => secure, method: 'POST', path: '/' });
  asked.end();
  await once(asked, 'response');
  secure.destroy();
  expect(seen).toMatchObject([{ 'idempotency-key': 'order-4711' }]);
});
