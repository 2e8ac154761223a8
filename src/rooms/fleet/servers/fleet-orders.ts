/**
 * Owns: what people order the members of a fleet to do: everybody stops or goes on, one member takes nothing new.
 *
 * An order stays until the next one, so that members that join later follow it, too. Reads go to the leader of the bucket.
 */
import { StorageType } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { FleetOrder } from '../../../core/schema/fleet.ts';
import type { FleetConnection } from './connect-fleet.ts';
import { ORDERS, toToken } from './fleet-subjects.ts';

export type StoredOrder = FleetOrder & { revision: number };

export type FleetOrders = {
  /** The last order for a member, or for everybody (`null`). */
  read(member: string | null): Promise<StoredOrder | null>;
  give(member: string | null, order: FleetOrder): Promise<void>;
};

export async function openOrders({ js }: FleetConnection, replicas: number): Promise<FleetOrders> {
  const options = { replicas, history: 1, storage: StorageType.File, allow_direct: false };
  const bucket: KV = await new Kvm(js).create(ORDERS, options);
  return {
    read: async (member) => {
      const entry = await bucket.get(keyOf(member));
      const order = FleetOrder.safeParse(entry?.json());
      return entry === null || !order.success ? null : { ...order.data, revision: entry.revision };
    },
    give: async (member, order) => {
      await bucket.put(keyOf(member), JSON.stringify(order));
    },
  };
}

const keyOf = (member: string | null): string => (member === null ? 'all' : `member.${toToken(member)}`);
