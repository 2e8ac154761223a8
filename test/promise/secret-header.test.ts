/** A secret that the egress proxy adds to requests: a real server gets it, and the process that asks never has it. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../src/tools/egress/certificates.ts';
import { launcher, okaWith, type Ran, temporaryFolder } from '../support/cli.ts';
import { canJail, whyNot } from '../support/launcher.ts';

const curl = spawnSync('curl', ['--version']).status === 0;
const VALUE = 'tok-93xw-canary-71';

type Received = { header: string | undefined; body: string };

async function listening(make: (on: (request: IncomingMessage, response: ServerResponse) => void) => Server) {
  const received: Received[] = [];
  const server = make((request, response) => {
    let body = '';
    request.setEncoding('latin1').on('data', (text: string) => (body += text));
    request.on('end', () => {
      received.push({ header: request.headers.authorization, body });
      response.end('fine\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { received, port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() };
}

/** Runs curl with the secret; it sends its own environment, and the file that it was given, if there is one. */
async function sendWith(
  url: string,
  host: string,
  rules: readonly string[],
  env: Record<string, string> = {},
): Promise<Ran> {
  using folder = temporaryFolder();
  const dir = join(folder.dir, 'home');
  const config = { XDG_CONFIG_HOME: join(folder.dir, 'config') };
  const oka = (input: string, ...words: string[]): Promise<Ran> =>
    okaWith({ env: config, input }, ...words, '--dir', dir);
  await oka('', 'init');
  const set = await oka(VALUE, 'secrets', 'set', 'TOKEN', '--tool', 'shell', '--host', host, ...rules);
  expect(set, set.err).toMatchObject({ code: 0 });
  const line = `(env; cat $FILE) > all.txt; curl -sSf -m 10 -H "Authorization: Bearer $TOKEN" --data-binary @all.txt ${url}`;
  const secrets = { TOKEN: { from: 'secret:TOKEN', as: 'env' }, FILE: 'secret:TOKEN' };
  const bounds = { timeout_seconds: 30, max_retries: 0 };
  const nodes = [{ id: 'send', kind: 'tool', tool: 'shell', input: { line, net: [host], secrets }, ...bounds }];
  writeFileSync(join(folder.dir, 'graph.json'), JSON.stringify({ id: 'sending', nodes }));
  const words = ['graph', 'run', join(folder.dir, 'graph.json'), '--id', 'r1', '--dir', dir];
  return Object.keys(env).length === 0
    ? await okaWith({ env: config }, ...words)
    : await inOwnProcess(words, { ...config, ...env });
}

/** Node reads which authorities it trusts when it starts. */
function inOwnProcess(words: readonly string[], env: Record<string, string>): Promise<Ran> {
  const { promise, resolve } = Promise.withResolvers<Ran>();
  const child = execFile(process.execPath, [launcher, ...words], { env: { ...process.env, ...env } }, (_, out, err) =>
    resolve({ code: child.exitCode, out, err }),
  );
  return promise;
}

const HEADER = ['--header', 'Authorization: Bearer {}'];

describe.skipIf(!canJail || !curl)(`a secret with a header${whyNot}`, { timeout: 90_000 }, () => {
  it('reaches the server over http on this machine, and the process never has it', async () => {
    using server = await listening((on) => createServer(on));
    const ran = await sendWith(`http://127.0.0.1:${server.port}/`, `127.0.0.1:${server.port}`, HEADER);
    expect(ran, ran.out + ran.err).toMatchObject({ code: 0 });
    expect(server.received.map(({ header }) => header)).toEqual([`Bearer ${VALUE}`]);
    expect(server.received[0]?.body).toContain('TOKEN=added-by-the-proxy');
    expect(server.received[0]?.body).not.toContain(VALUE);
  });

  it('without a header the process has it: the canary would notice', async () => {
    using server = await listening((on) => createServer(on));
    const ran = await sendWith(`http://127.0.0.1:${server.port}/`, `127.0.0.1:${server.port}`, []);
    expect(ran, ran.out + ran.err).toMatchObject({ code: 0 });
    expect(server.received[0]?.body).toContain(`TOKEN=${VALUE}`);
  });

  it('reaches a server behind TLS, too, whose certificate is verified', async () => {
    const authority = createAuthority();
    using folder = temporaryFolder();
    const ca = join(folder.dir, 'ca.pem');
    writeFileSync(ca, authority.certificate(Date.now()));
    using server = await listening((on) => createSecureServer(authority.issue('localhost', Date.now()), on));
    const host = `localhost:${server.port}`;
    const untrusted = await sendWith(`https://${host}/`, host, HEADER);
    expect(untrusted.code).not.toBe(0);
    expect(server.received).toEqual([]);
    const ran = await sendWith(`https://${host}/`, host, HEADER, { NODE_EXTRA_CA_CERTS: ca });
    expect(ran, ran.out + ran.err).toMatchObject({ code: 0 });
    expect(server.received.map(({ header }) => header)).toEqual([`Bearer ${VALUE}`]);
    expect(server.received[0]?.body).not.toContain(VALUE);
  });
});
