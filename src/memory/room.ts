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
  schemas: async () => {
    const [{ Episode, Fact }, { Procedure }] = await Promise.all([
      import('../schema/memory.ts'),
      import('../schema/procedure.ts'),
    ]);
    return { episode: Episode, fact: Fact, procedure: Procedure };
  },
  learning: async (settings) => (await import('./memory-parts.ts')).partsOfMemory(settings),
  events: ['fact.kept', 'fact.forgotten', 'fact.reworded', 'procedure.drafted', 'procedure.moved', 'change.undone'],
});
