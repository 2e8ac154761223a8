/** What the live stream contributes: the port to which tools report what they do now, read by `oka up`, `run` and `show`. */
import { join } from 'node:path';
import { livePort } from '../../core/schema/live-port.ts';
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, vault } = ports;

export const liveStream = defineRoom({
  name: 'rooms/live',
  schemas: async () => ({ live: (await import('../../core/schema/live.ts')).LiveMessage }),
  needs: { home, vault },
  gives: { live: livePort },
  open: async ({ home: at, vault: secrets }) => {
    const [{ openLiveServer }, { publishSteps }, { removeShown }] = await Promise.all([
      import('./live-server.ts'),
      import('./live-steps.ts'),
      import('../../kit/sandbox/shown-output.ts'),
    ]);
    removeShown(join(at.oka, 'state', 'calls'));
    const live = publishSteps(await openLiveServer(at), secrets.redactCut);
    return { gives: { live }, close: live.close };
  },
});
