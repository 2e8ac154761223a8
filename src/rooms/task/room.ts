/** What tasks contribute: planning, judging, and the result that is written whenever a task settles. */
import { join } from 'node:path';
import type { RunState } from '../../core/engine/run-state.ts';
import { defineRoom, type OpenedRoom } from '../../core/schema/room.ts';
import { fleetRuns } from '../../kit/fleet/fleet-runs.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { unusedPorts } from '../../kit/unused-ports.ts';

const { home, config, artifacts, vault, onDurable, shadow, sandbox, models, memory, deps, runs, tools } = ports;
const { folders, reportRun, reportResult, offers, projections, frames, chooseProcedure } = ports;
const gives = { planner: ports.planner, results: ports.results, fitsProcedure: ports.fitsProcedure };

export const task = defineRoom({
  name: 'rooms/task',
  events: ['run.judged', 'run.moved', 'procedure.chosen'],
  tools: ['task.plan', 'task.critique', 'step.check'],
  detachedTools: async ({ purpose }) => {
    if (purpose === 'replay') return []; // what was planned and judged then is in the record
    return (await import('./task-tools.ts')).ownTools(unusedPorts);
  },
  tidy: async (tidying) => (await import('./tidy-outbox.ts')).tidyOutbox(tidying),
  needs: {
    home,
    config,
    artifacts,
    vault,
    onDurable,
    shadow,
    sandbox,
    models,
    memory,
    deps,
    runs,
    tools,
    reportRun,
    folders,
    reportResult,
    offers,
    projections,
    frames,
    chooseProcedure,
  },
  gives,
  open: async (needed): Promise<OpenedRoom<RunState, typeof gives>> => {
    const [{ taskTools }, { reportResults }, { pendingResultsIn }] = await Promise.all([
      import('./task-tools.ts'),
      import('./report-results.ts'),
      import('../../kit/runs/pending-results.ts'),
    ]);
    const pending = pendingResultsIn(join(needed.home.oka, 'state', 'untold'));
    const isElsewhere = (run: string): boolean => needed.projections.stateOf(fleetRuns).fenced.includes(run);
    const results = reportResults({ ...needed, pending, report: needed.reportRun, isElsewhere });
    const unsubscribe = needed.onDurable((events) => {
      pending.watch(events);
      results.watch(events);
    });
    const { planner, tools: own, fitsProcedure } = taskTools(needed);
    return {
      gives: { planner, results, fitsProcedure },
      tools: own,
      runSettled: results.runSettled,
      close: async () => {
        unsubscribe();
        await results.close();
      },
    };
  },
});
