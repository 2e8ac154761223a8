/** What intake contributes: which requests and tasks are known, and sweeping away unfinished request files. */
import { defineRoom } from '../schema/room.ts';

export const intake = defineRoom({
  name: 'intake',
  schemas: async () => {
    const [{ Intake }, { TaskFile }] = await Promise.all([
      import('../schema/intake.ts'),
      import('../schema/task-file.ts'),
    ]);
    return { intake: Intake, 'task-file': TaskFile };
  },
  projections: async () => {
    const [{ receivedIntakes }, { knownTasks }] = await Promise.all([
      import('./received-requests.ts'),
      import('./known-tasks.ts'),
    ]);
    return [receivedIntakes, knownTasks];
  },
  tidy: async (tidying) => {
    (await import('./sweep-unfinished.ts')).sweepUnfinished(tidying);
    return {};
  },
});
