/**
 * Owns: what members let each other know, one value for each member.
 *
 * The key of a value is the member that may write it (member-permissions.ts): readers go by the key, whatever the value
 * says. The servers refuse values that are too large.
 */
import { StorageType } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { MOST_SHARED_BYTES } from '../../../core/schema/fleet-memory.ts';
import type { FleetConnection } from './connect-fleet.ts';
import { fromToken, MEMORY, toToken } from './fleet-subjects.ts';
import { latestValues } from './latest-values.ts';

export type MemberMemory = {
  put(member: string, text: string): Promise<void>;
  /** What each member shares, by its name. A value that is too large is null. */
  list(): Promise<Map<string, string | null>>;
  /** Changes with every change of a value. */
  revision(): Promise<number>;
};

/** The topics that a member shares besides what tasks have shown. */
export type MemorySharing = { topics: readonly string[]; open: () => Promise<MemberMemory> };

export async function openMemberMemory(connection: FleetConnection, replicas: number): Promise<MemberMemory> {
  const bucket = await new Kvm(connection.js).create(MEMORY, {
    replicas,
    history: 1,
    storage: StorageType.File,
    maxValueSize: MOST_SHARED_BYTES,
  });
  return {
    put: async (member, text) => {
      await bucket.put(toToken(member), text);
    },
    list: async () => {
      const shared = new Map<string, string | null>();
      for (const { key, text } of await latestValues(connection, MEMORY))
        shared.set(fromToken(key), Buffer.byteLength(text) > MOST_SHARED_BYTES ? null : text);
      return shared;
    },
    revision: async () => (await bucket.status()).streamInfo.state.last_seq,
  };
}
