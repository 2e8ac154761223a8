/** Servers with a certificate: a member talks to them encrypted, and to nobody whose certificate it cannot trust. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { temporaryFolder } from '../support/cli.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';
import { selfSigned } from '../support/openssl.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('message servers with certificates', () => {
  it('are used encrypted, and refused when their certificate is not of the authority or of their name', async () => {
    using folder = certificates();
    const tls = (name: string): string =>
      `tls { cert_file: "${folder.file(`${name}.crt`)}", key_file: "${folder.file(`${name}.key`)}" }`;
    await using good = await startCluster({ size: 1, extra: tls('here') });
    await using elsewhere = await startCluster({ size: 1, extra: tls('elsewhere') });
    const connect = async (url: string, authority: string): Promise<string> => {
      const servers = [url.replace('nats://127.0.0.1', 'tls://localhost')];
      const address = { servers, credentials: null, authority: folder.file(authority), name: 'one' };
      const connection = await connectFleet(address).catch((error: Error) => error.message);
      if (typeof connection === 'string') return connection;
      const { memory } = await connection.manager.getAccountInfo();
      await connection.close();
      return `${memory} bytes in memory`;
    };
    expect(await connect(good.url, 'here.crt')).toBe('0 bytes in memory');
    expect(await connect(good.url, 'elsewhere.crt')).toMatch(/does not answer: .*(self-signed|certificate)/);
    expect(await connect(elsewhere.url, 'elsewhere.crt')).toMatch(/does not answer: .*(altnames|Hostname|certificate)/);
  });
});

/** One for this machine, and one for another host, each its own authority. */
function certificates(): Disposable & { file: (name: string) => string } {
  const folder = temporaryFolder();
  selfSigned(folder.dir, 'here', ['localhost']);
  selfSigned(folder.dir, 'elsewhere', ['elsewhere.example']);
  return { file: (name) => join(folder.dir, name), [Symbol.dispose]: () => folder[Symbol.dispose]() };
}
