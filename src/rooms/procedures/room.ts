/** What procedures contribute: they are drafted from work that was repeated, judged, and moved up or down by their record. */
import { defineRoom } from '../../core/schema/room.ts';

export const procedures = defineRoom({
  name: 'rooms/procedures',
  events: ['procedure.drafted', 'procedure.moved'],
  views: async () => [(await import('../../kit/learning/procedure-rows.ts')).procedureView],
  schemas: async () => ({ procedure: (await import('../../core/schema/procedure.ts')).Procedure }),
  learning: async (settings) => {
    const [{ procedures: drafting }, { judgeProcedures }] = await Promise.all([
      import('./procedures-part.ts'),
      import('./judge-procedures.ts'),
    ]);
    return [drafting, judgeProcedures(settings.procedures)];
  },
});
