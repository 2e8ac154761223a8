/** What maintenance contributes to the worker: nothing but findings; what people ask of it, it reads in the ledger. */
import { defineRoom } from '../../core/schema/room.ts';

const readByMaintenance = (): Promise<null> => Promise.resolve(null);

export const maintenance = defineRoom({
  name: 'rooms/maintenance',
  events: ['slot.came', 'page.edited'],
  findings: async (home) => [await (await import('./maintenance-finding.ts')).maintenanceFinding(home)],
  open: () => ({
    intakes: { tick: readByMaintenance, procedure: readByMaintenance, take_back: readByMaintenance },
  }),
});
