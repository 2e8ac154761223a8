/** What metrics contribute: the tally of each day, what models cost, and how many runs there were. */
import { defineRoom } from '../../core/schema/room.ts';

export const metrics = defineRoom({
  name: 'rooms/figures',
  events: [],
  views: async () => {
    const [{ metricsView }, { spendView }, { runCountView }, { packUseView }] = await Promise.all([
      import('./metrics-view.ts'),
      import('./spend-view.ts'),
      import('./run-count-view.ts'),
      import('./pack-use-view.ts'),
    ]);
    return [metricsView, spendView, runCountView, packUseView];
  },
});
