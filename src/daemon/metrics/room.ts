/** What metrics contribute: the tally of each day. */
import { defineRoom } from '../../schema/room.ts';

export const metrics = defineRoom({
  name: 'daemon/metrics',
  events: [],
  views: async () => [(await import('./metrics-view.ts')).metricsView],
});
