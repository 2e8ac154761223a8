/** What the worker contributes: steering runs on request, and whether it is running. */
import { defineRoom } from '../../schema/room.ts';
import { ports } from '../room-ports.ts';

const { runs, results } = ports;

export const worker = defineRoom({
  name: 'daemon/worker',
  events: [
    'worker.started',
    'worker.stopped',
    'sandbox.chosen',
    'task.received',
    'task.rejected',
    'run.corrected',
    'intake.received',
    'intake.rejected',
  ],
  findings: async (home) => [(await import('./worker-finding.ts')).workerFinding(home)],
  needs: { runs, results },
  open: ({ runs: engine, results: written }) => ({
    intakes: {
      cancel: async ({ run }) => {
        await engine.stop(run, { kind: 'cancel', reason: 'cancelled by a person' });
        if (written.pending.runs().includes(run)) await written.write(run); // it had settled before
        return null;
      },
      pause: async ({ run }) => {
        await engine.stop(run, { kind: 'pause', reason: 'paused by a person' });
        return null;
      },
      resume: ({ run }) => engine.resume(run, { reason: 'resumed by a person' }),
    },
  }),
});
