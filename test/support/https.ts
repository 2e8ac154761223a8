/** A server on this machine that speaks https, and the authority that signs for it. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from './cli.ts';
import { openssl } from './openssl.ts';

export type SecureServer = AsyncDisposable & { url: string; host: string; authority: string };

/** `oka.localhost` is this machine by its name, 127.0.0.1 by its address; both are in the certificate. */
export async function secureServer(answer: RequestListener): Promise<SecureServer> {
  const folder = temporaryFolder();
  const { dir } = folder;
  openssl(dir, 'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=oka-test-authority -keyout ca.key -out ca.pem');
  openssl(dir, 'req -newkey rsa:2048 -nodes -subj /CN=oka-test -keyout key.pem -out request.pem');
  writeFileSync(join(dir, 'names'), 'subjectAltName=IP:127.0.0.1,DNS:oka.localhost\n');
  openssl(
    dir,
    'x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out cert.pem',
  );
  const read = (file: string): string => readFileSync(join(dir, file), 'utf8');
  const server = createServer({ key: read('key.pem'), cert: read('cert.pem') }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `https://${host}`,
    host,
    authority: join(dir, 'ca.pem'),
    [Symbol.asyncDispose]: async () => {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
      folder[Symbol.dispose]();
    },
  };
}
