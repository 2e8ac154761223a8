/** What the guard contributes: projections of what people have allowed, and of what a day has cost; the chain writes which secret a call has used. */
import { defineRoom } from '../schema/room.ts';

export const guard = defineRoom({
  name: 'core/guard',
  events: ['secret.used'],
  schemas: async () => ({ policy: (await import('../schema/policy.ts')).Policy }),
  projections: async () => {
    const [{ given }, { daySpending }] = await Promise.all([
      import('./granted-approvals.ts'),
      import('./day-spending.ts'),
    ]);
    return [given, daySpending];
  },
});
