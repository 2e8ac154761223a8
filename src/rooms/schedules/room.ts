/** What schedules contribute: the times that have come are recorded, and people switch, trigger and backfill them. */
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, ledger, projections, runs, fleet, schedules: schedulesPort } = ports;

export const schedules = defineRoom({
  name: 'rooms/schedules',
  events: ['schedule.changed', 'slot.came', 'task.rejected'],
  projections: async () => [(await import('../../kit/schedule/schedule-state.ts')).schedulesProjection],
  schemas: async () => ({ 'graph-schedule': (await import('../../core/schema/graph-schedule.ts')).GraphSchedule }),
  needs: { home, ledger, projections, runs, fleet },
  gives: { schedules: schedulesPort },
  open: async (needed) => {
    const { openSchedules } = await import('./open-schedules.ts');
    const { handleSchedule } = await import('./schedule-requests.ts');
    const opened = openSchedules(needed);
    return {
      gives: { schedules: opened },
      intakes: {
        schedule: async (intake) => ({ answer: Promise.resolve(await handleSchedule(opened, intake)) }),
      },
      poll: ({ isStopped }) => (isStopped ? Promise.resolve() : opened.poll()),
    };
  },
});
