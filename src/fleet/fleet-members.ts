/** Owns: what members say about themselves, for people and as hints: no fence relies on it. */
import { StorageType } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { MemberMessage } from '../schema/fleet.ts';
import type { FleetConnection } from './connect-fleet.ts';
import { MEMBERS, toToken } from './fleet-subjects.ts';

export type FleetMembers = { report(member: MemberMessage): Promise<void>; list(): Promise<MemberMessage[]> };

export async function openMembers({ js }: FleetConnection, replicas: number): Promise<FleetMembers> {
  const bucket = await new Kvm(js).create(MEMBERS, { replicas, history: 1, storage: StorageType.File });
  return {
    report: async (member) => {
      await bucket.put(toToken(member.name), JSON.stringify(member));
    },
    list: async () => {
      const members: MemberMessage[] = [];
      for await (const entry of await bucket.history()) {
        const member = MemberMessage.safeParse(entry.length === 0 ? null : entry.json());
        if (member.success && toToken(member.data.name) === entry.key) members.push(member.data);
      }
      return members.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}
