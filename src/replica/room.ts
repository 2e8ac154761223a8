/** What the replica contributes: nothing to the worker; maintenance copies both ledgers (daemon/replica/replicate.ts). */
import { defineRoom } from '../schema/room.ts';

export const replica = defineRoom({
  name: 'replica',
  events: [],
});
