/** What intake contributes: which requests and tasks are known, doing a task at once, and sweeping away what was left unfinished. */
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, config, ledger, artifacts, vault, projections, runs, backend, policy, deskPlaced, fleet } = ports;

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
  needs: { home, config, ledger, artifacts, vault, projections, runs, backend, policy, deskPlaced, fleet },
  open: (needed) => ({
    intakes: { run_task: async ({ from }) => (await import('./run-task.ts')).startTask(needed, from) },
  }),
  tidy: async (tidying) => {
    (await import('../../kit/inbox/sweep-unfinished.ts')).sweepUnfinished(tidying);
    return {};
  },
});
