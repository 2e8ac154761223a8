/** What memory contributes: what it learns from both ledgers. */
import { defineRoom } from '../schema/room.ts';

export const memory = defineRoom({
  name: 'memory',
  events: [],
});
