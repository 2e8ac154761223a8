/** A real server that gets a secret by the egress proxy, and a graph whose command sends it. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import { expect } from 'vitest';
import { launcher, okaWith, type Ran, temporaryFolder } from './cli.ts';

export const curl = spawnSync('curl', ['--version']).status === 0;
export const VALUE = 'tok-93xw-canary-71';

type Received = { header: string | undefined; body: string };

export async function listening(make: (on: (request: IncomingMessage, response: ServerResponse) => void) => Server) {
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
export async function sendWith(
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
  const line = `(env; cat $FILE) > all.txt; curl -sSf -m 60 -H "Authorization: Bearer $TOKEN" --data-binary @all.txt ${url}`;
  const secrets = { TOKEN: { from: 'secret:TOKEN', as: 'env' }, FILE: 'secret:TOKEN' };
  const bounds = { timeout_seconds: 120, max_retries: 0 };
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

export const HEADER = ['--header', 'Authorization: Bearer {}'];
