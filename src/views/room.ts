/** What the read side contributes: the folds of what is in no other room. */
import { defineRoom } from '../schema/room.ts';

export const views = defineRoom({
  name: 'views',
  events: [],
  views: async () => {
    const [{ runView }, { waitView }, { secretView }, { slotView }, { eventIndex }] = await Promise.all([
      import('./run-view.ts'),
      import('./wait-view.ts'),
      import('./secret-view.ts'),
      import('./slot-view.ts'),
      import('./event-index.ts'),
    ]);
    return [runView, waitView, secretView, slotView, eventIndex];
  },
});
