/** What the guard contributes: projections of what people have allowed, and of what a day has cost. */
import { defineRoom } from '../schema/room.ts';

export const guard = defineRoom({
  name: 'guard',
  schemas: async () => ({ policy: (await import('../schema/policy.ts')).Policy }),
  projections: async () => {
    const [{ given }, { daySpending }] = await Promise.all([
      import('./granted-approvals.ts'),
      import('./day-spending.ts'),
    ]);
    return [given, daySpending];
  },
});
