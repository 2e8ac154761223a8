/** What memory contributes: what it learns from both ledgers. */
import { defineRoom } from '../schema/room.ts';

export const memory = defineRoom({
  name: 'memory',
  events: ['fact.kept', 'fact.forgotten', 'fact.reworded', 'procedure.drafted', 'procedure.moved', 'change.undone'],
});
