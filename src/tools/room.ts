/** What tools contribute: the projection of what is installed and what is still required. */
import { defineRoom } from '../schema/room.ts';

export const tools = defineRoom({
  name: 'tools',
  events: ['secret.used'],
  projections: async () => [(await import('./deps/dependency-state.ts')).dependencies],
});
