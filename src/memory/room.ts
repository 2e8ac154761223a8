/** What memory contributes: what it learns from both ledgers. */
import { defineRoom } from '../schema/room.ts';

export const memory = defineRoom({
  name: 'memory',
  views: async () => {
    const [{ factView }, { procedureView }] = await Promise.all([
      import('./fact-view.ts'),
      import('./procedures/procedure-rows.ts'),
    ]);
    return [factView, procedureView];
  },
  events: ['fact.kept', 'fact.forgotten', 'fact.reworded', 'procedure.drafted', 'procedure.moved', 'change.undone'],
});
