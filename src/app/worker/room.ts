/** What the worker contributes: steering runs on request, and whether it is running. */
import { isOver } from '../../core/engine/run-state.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { defineRoom, isSoAlready } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { beginRun } from '../../kit/begin-run.ts';

const { home, runs, backend, results, artifacts, shadow, deskTurn, ledger, projections, nodeKinds } = ports;

export const worker = defineRoom({
  name: 'app/worker',
  events: [
    'worker.started',
    'worker.stopped',
    'sandbox.chosen',
    'task.received',
    'task.rejected',
    'run.corrected',
    'runs.marked',
    'intake.received',
    'intake.rejected',
  ],
  findings: async (home) => [(await import('./worker-finding.ts')).workerFinding(home)],
  needs: { home, runs, backend, results, artifacts, shadow, deskTurn, ledger, projections, nodeKinds },
  open: ({ runs: engine, results: written, ...needed }) => ({
    intakes: {
      cancel: async ({ run }) => {
        await needed.backend.signal(run, { kind: 'cancel', reason: 'cancelled by a person' });
        if (written.pending.runs().includes(run)) await written.write(run); // it had settled before
        return null;
      },
      // A command that is running may take its time to end, and other requests are read meanwhile.
      pause: async ({ run, now }) => {
        const state = await engine.stateOf(run);
        if (state === null || isOver(state.status))
          throw new OkaError(
            state === null ? 'no-such-run' : 'run-is-over',
            state === null ? `there is no run "${run}"` : `run ${run} is ${state.status} already`,
          );
        if (state.status === 'paused') return isSoAlready('it is paused already');
        const request = { kind: 'pause', reason: 'paused by a person', isGentle: now !== true } as const;
        return { answer: needed.backend.signal(run, request).then(() => null) };
      },
      note: async ({ kind: _kind, run, ...note }) => ({
        answer: Promise.resolve(await (await import('../../rooms/runs/send-note.ts')).sendNote(engine, run, note)),
      }),
      resume: async ({ run }) => {
        const state = await engine.stateOf(run);
        const { isForPeople } = await import('../../core/engine/wait-answers.ts');
        if (state !== null && isForPeople(state))
          return { run: { id: run }, done: Promise.resolve(), unchanged: 'it waits for an answer already' };
        return beginRun(needed.backend, { kind: 'resume', run, reason: 'resumed by a person' });
      },
      mark_runs: async ({ kind: _kind, ...marks }) =>
        (await import('../../rooms/runs/mark-runs.ts')).markRuns(needed, marks),
      rerun: async (intake) => (await import('../../rooms/runs/rerun.ts')).rerun({ runs: engine, ...needed }, intake),
    },
  }),
});
