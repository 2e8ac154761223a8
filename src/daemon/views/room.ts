/** Writes the rows of all views while a process owns the pen. */
import { defineRoom } from '../../schema/room.ts';
import { ports } from '../../kit/ports/room-ports.ts';

const { home, liveLedger, onDurable, viewFolds } = ports;

export const viewStore = defineRoom({
  name: 'daemon/views',
  events: [],
  needs: { home, liveLedger, onDurable, viewFolds },
  open: async (needed) => {
    const { startViewsWriter } = await import('../../kit/rows/views-writer.ts');
    const writer = startViewsWriter(needed.home, await needed.viewFolds(), needed.liveLedger.end.seq);
    const leave = needed.onDurable((events) => writer.notify(events.at(-1)?.seq ?? 0));
    return {
      close: async () => {
        leave();
        await writer.close();
      },
    };
  },
});
