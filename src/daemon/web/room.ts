/** What the dashboard contributes to the worker's side: its settings. The pages themselves are in web/. */
import { defineRoom } from '../../schema/room.ts';

export const dashboard = defineRoom({
  name: 'daemon/web',
  config: async () => ({ web: (await import('../../schema/web.ts')).WebConfig }),
});
