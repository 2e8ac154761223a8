/** What the read side contributes: the folds of what is in no other room, and pages across rooms. */
import { defineRoom } from '../schema/room.ts';

const PAGE_LENGTH = 50;

export const views = defineRoom({
  name: 'views',
  events: [],
  pages: {
    runs: {
      title: 'Runs',
      query: async ({ rows, params: { all, limit } }) => {
        const [{ listRuns }, { RunsQuery }] = await Promise.all([
          import('./runs-query.ts'),
          import('../schema/view-answers.ts'),
        ]);
        const asked = { all: all === 'true', limit: limit === undefined ? PAGE_LENGTH : Number(limit) };
        return listRuns(rows, RunsQuery.parse(asked));
      },
    },
    waiting: {
      title: 'Waiting for you',
      query: async ({ rows }) => (await import('./waiting-query.ts')).listWaiting(rows).filter(({ person }) => person),
    },
  },
  views: async () => {
    const [
      { runView },
      { waitView },
      { secretView },
      { slotView },
      { eventIndex, maintenanceRunIndex },
      { textView },
      { graphRunView },
      { stateView },
      { egressView },
    ] = await Promise.all([
      import('./run-view.ts'),
      import('./wait-view.ts'),
      import('./secret-view.ts'),
      import('./slot-view.ts'),
      import('./event-index.ts'),
      import('./text-view.ts'),
      import('./graph-run-view.ts'),
      import('./state-view.ts'),
      import('./egress-view.ts'),
    ]);
    return [
      waitView,
      runView,
      secretView,
      slotView,
      eventIndex,
      maintenanceRunIndex,
      textView,
      graphRunView,
      stateView,
      egressView,
    ];
  },
});
