/** What add-ons contribute: a line of `oka doctor` each, and the commands that install and remove them. */
import { defineRoom } from '../../core/schema/room.ts';

export const addOns = defineRoom({
  name: 'rooms/add-ons',
  findings: async () => (await import('./installed-add-ons.ts')).addOnFindings(),
});
