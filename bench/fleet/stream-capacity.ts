/** How many messages a cluster acknowledges, with many in flight, on one stream and on several. */
import { StorageType } from '@nats-io/jetstream';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import type { NatsCluster } from '../../test/support/nats-cluster.ts';
import { median } from '../figure.ts';
import { treeCpuMs } from './process-times.ts';

const IN_FLIGHT = 64;
const BODY = 'x'.repeat(500);

/** `cpuMs`: of all servers together, for one message. `latencyMs`: the median with one message in flight. */
export type StreamCapacity = { streams: number; perSecond: number; cpuMs: number; latencyMs: number };

export async function runStreams({ url }: NatsCluster, streams: number, messages: number): Promise<StreamCapacity> {
  const servers = url.split(',');
  const connection = await connectFleet({ servers, credentials: null, authority: null, name: 'capacity' });
  const names = Array.from({ length: streams }, (_, index) => `CAPACITY_${index}`);
  const publish = (index: number): Promise<unknown> =>
    connection.js.publish(`capacity.${index % streams}`, BODY, { timeout: 30_000 });
  try {
    for (const [index, name] of names.entries())
      await connection.manager.streams.add({
        name,
        subjects: [`capacity.${index}`],
        storage: StorageType.File,
        num_replicas: servers.length,
      });
    const alone: number[] = [];
    for (let index = 0; index < 50; index += 1) {
      const began = performance.now();
      await publish(index);
      alone.push(performance.now() - began);
    }
    const [began, cpuBefore] = [performance.now(), treeCpuMs('nats-server')];
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < messages) await publish(next++);
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
    const seconds = (performance.now() - began) / 1000;
    const cpuMs = (treeCpuMs('nats-server') - cpuBefore) / messages;
    return { streams, perSecond: messages / seconds, cpuMs, latencyMs: median(alone) };
  } finally {
    for (const name of names) await connection.manager.streams.delete(name).catch(() => undefined);
    await connection.close();
  }
}
