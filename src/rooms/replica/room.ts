/** What the replica contributes: nothing to the worker; maintenance copies both ledgers (rooms/replica/replicate.ts). */
import { defineRoom } from '../../core/schema/room.ts';

export const replica = defineRoom({
  name: 'rooms/replica',
  events: [],
  lastRecord: async (home, config) => (await import('./replica-anchor.ts')).claimOfReplica(home, config),
});
