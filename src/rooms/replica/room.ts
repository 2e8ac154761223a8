/** What the replica contributes: nothing to the worker; the process of maintenance copies both ledgers (replicate.ts). */
import { defineRoom } from '../../core/schema/room.ts';

export const replica = defineRoom({
  name: 'rooms/replica',
  events: [],
  maintained: async () => {
    const { keepReplicating, replicatePending } = await import('./replicate.ts');
    return { beside: keepReplicating, after: replicatePending };
  },
  lastRecord: async (home, config) => (await import('./replica-anchor.ts')).claimOfReplica(home, config),
});
