/** What intake contributes: which requests and tasks are known, and sweeping away unfinished request files. */
import { defineRoom } from '../../core/schema/room.ts';

export const intake = defineRoom({
  name: 'rooms/inbox',
  schemas: async () => {
    const [{ Intake }, { TaskFile }] = await Promise.all([
      import('../../core/schema/intake.ts'),
      import('../../core/schema/task-file.ts'),
    ]);
    return { intake: Intake, 'task-file': TaskFile };
  },
  projections: async () => {
    const [{ receivedIntakes }, { knownTasks }] = await Promise.all([
      import('../../kit/requests/received-requests.ts'),
      import('../../kit/inbox/known-tasks.ts'),
    ]);
    return [receivedIntakes, knownTasks];
  },
  tidy: async (tidying) => {
    (await import('../../kit/inbox/sweep-unfinished.ts')).sweepUnfinished(tidying);
    return {};
  },
});
