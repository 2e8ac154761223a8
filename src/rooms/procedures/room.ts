/** What procedures contribute: they are drafted from work that was repeated, judged, moved up or down by their record, and chosen for tasks. */
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, config, memory, models, tools, chooseProcedure } = ports;

export const procedures = defineRoom({
  name: 'rooms/procedures',
  events: ['procedure.drafted', 'procedure.moved', 'procedure.shared'],
  views: async () => [(await import('../../kit/learning/procedure-rows.ts')).procedureView],
  schemas: async () => ({ procedure: (await import('../../core/schema/procedure.ts')).Procedure }),
  learning: async (settings) => {
    const [{ procedures: drafting }, { judgeProcedures }] = await Promise.all([
      import('./procedures-part.ts'),
      import('./judge-procedures.ts'),
    ]);
    return [drafting, judgeProcedures(settings.procedures)];
  },
  sharing: async () => (await import('./exchange-procedures.ts')).sharedProcedures,
  needs: { home, config, memory, models, tools },
  gives: { chooseProcedure },
  open: async (needed) => {
    const [{ procedureChooser }, { deskFolder }] = await Promise.all([
      import('./procedure-chooser.ts'),
      import('../../kit/desk-folder.ts'),
    ]);
    const choose = procedureChooser({
      ledger: needed.home.ledgers.maintenance,
      instructions: () => needed.memory.instructions(),
      settings: needed.config.maintenance.procedures,
      desk: deskFolder(needed.home),
      tools: () => needed.tools.list().filter(({ internal }) => internal !== true),
      hasPlanner: () => needed.models.for('planner') !== null,
      clock: Date.now,
    });
    return { gives: { chooseProcedure: choose } };
  },
});
