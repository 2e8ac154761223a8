/** What the guard contributes: the projection of what people have allowed. */
import { defineRoom } from '../schema/room.ts';

export const guard = defineRoom({
  name: 'guard',
  schemas: async () => ({ policy: (await import('../schema/policy.ts')).Policy }),
  projections: async () => [(await import('./granted-approvals.ts')).given],
});
