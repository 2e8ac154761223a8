/** What the guard contributes: the projection of what people have allowed. */
import { defineRoom } from '../schema/room.ts';

export const guard = defineRoom({
  name: 'guard',
  projections: async () => [(await import('./granted-approvals.ts')).given],
});
