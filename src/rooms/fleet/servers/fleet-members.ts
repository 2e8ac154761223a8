/** Owns: what members say about themselves, for people and as hints: no fence relies on it. */
import { StorageType } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { MemberMessage } from '../../../core/schema/fleet.ts';
import type { FleetConnection } from './connect-fleet.ts';
import { MEMBERS, toToken } from './fleet-subjects.ts';
import { latestValues } from './latest-values.ts';

export type FleetMembers = { report(member: MemberMessage): Promise<void>; list(): Promise<MemberMessage[]> };

export async function openMembers(connection: FleetConnection, replicas: number): Promise<FleetMembers> {
  const bucket = await new Kvm(connection.js).create(MEMBERS, { replicas, history: 1, storage: StorageType.File });
  return {
    report: async (member) => {
      await bucket.put(toToken(member.name), JSON.stringify(member));
    },
    list: async () => {
      const members: MemberMessage[] = [];
      for (const { key, text } of await latestValues(connection, MEMBERS)) {
        const member = MemberMessage.safeParse(jsonOf(text));
        if (member.success && toToken(member.data.name) === key) members.push(member.data);
      }
      return members.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // no report of a member
  }
}
