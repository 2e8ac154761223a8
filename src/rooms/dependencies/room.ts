/** What the dependency manager contributes: installing what a step misses, and asking people for what it may not install. */
import type { RunState } from '../../core/engine/run-state.ts';
import { defineRoom, type OpenedRoom } from '../../core/schema/room.ts';
import { withoutUnclaimed } from '../../kit/fleet/assert-owned.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { unusedPorts } from '../../kit/unused-ports.ts';

const { home, config, ledger, projections, taskGraph, policy, sandbox, runs, fleet } = ports;
const gives = { deps: ports.deps };

export const dependencies = defineRoom({
  name: 'rooms/dependencies',
  events: [
    'requirement.opened',
    'requirement.resolved',
    'requirement.reopened',
    'dependency.installed',
    'dependency.removed',
    'intake.received',
    'intake.rejected',
  ],
  projections: async () => [(await import('../../kit/requests/dependency-state.ts')).dependencies],
  tools: ['deps.install'],
  detachedTools: async ({ purpose }) => {
    if (purpose === 'replay') return []; // nothing is installed again
    return [(await import('./install/install-tool.ts')).installTool(unusedPorts)];
  },
  tidy: async (tidying) => (await import('./prune-tools.ts')).tidyTools(tidying),
  needs: { home, config, ledger, projections, taskGraph, policy, sandbox, runs, fleet },
  gives,
  open: async (needed): Promise<OpenedRoom<RunState, typeof gives>> => {
    const deps = (await import('./deps.ts')).openDeps({
      ...needed,
      taskGraph: () => withoutUnclaimed(needed.taskGraph(), needed.projections, needed.fleet),
    });
    return {
      gives: { deps },
      tools: [deps.tool],
      intakes: {
        // It may have to be installed first, and other requests are read meanwhile.
        resolve: async ({ name, by }) => ({
          answer: deps
            .resolve(name, by ?? 'a person')
            .then(({ there, seen, drives }) => ({ there, seen, went_on: drives.map(({ run }) => run.id) })),
        }),
        install: ({ what }) => deps.install(what),
        remove: ({ what, reason }) => deps.remove(what, reason ?? 'a person asked for it'),
      },
      provide: deps.provide,
      runSettled: deps.runSettled,
      poll: async ({ isStopped }) => {
        if (!isStopped) await deps.poll();
      },
    };
  },
});
