/** A server that stops answering while it sends a file: whoever reads the file gets an error, and can ask again. */
import { hash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { openFiles } from '../../src/fleet/fleet-files.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const MB = 1024 * 1024;

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('a file of the fleet', () => {
  it('whose parts stop coming is an error after a while, and arrives when it is asked for again', async () => {
    await using cluster = await startCluster({ size: 1 });
    const connection = await connect({ servers: cluster.url, reconnectTimeWait: 250, maxReconnectAttempts: -1 });
    const files = await openFiles({ js: jetstream(connection) }, 1);
    const sha256 = await files.put(randomBytes(48 * MB));
    const before = connection.stats().inBytes;
    const outcome = files.get(sha256).then(
      () => 'it arrived',
      (error: Error) => error.message,
    );
    while (connection.stats().inBytes < before + MB) await sleep(1);
    cluster.pause(0);
    expect(await outcome).toBe('no part of a file came for 30 seconds');
    cluster.resume(0);
    await expect.poll(() => files.get(sha256).then((content) => hash('sha256', content), String), SOON).toBe(sha256);
    await connection.close();
  });
});

const SOON = { timeout: 60_000, interval: 500 };
