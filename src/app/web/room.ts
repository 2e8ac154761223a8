/** What the dashboard contributes to the worker's side: its settings. Pages are in rooms; pages.ts lists them. */
import { defineRoom } from '../../core/schema/room.ts';

export const dashboard = defineRoom({
  name: 'app/web',
  config: async () => ({ web: (await import('../../core/schema/web.ts')).WebConfig }),
});
