/** What the replica contributes: nothing to the worker; maintenance copies both ledgers (rooms/replica/replicate.ts). */
import { defineRoom } from '../../core/schema/room.ts';

export const replica = defineRoom({
  name: 'rooms/replica',
  events: [],
});
