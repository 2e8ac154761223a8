/** What the read side contributes: the folds of what is in no other room and writing the rows of all views while a process owns the pen. */
import { defineRoom } from '../../core/schema/room.ts';
import { ports } from '../ports/room-ports.ts';

const { home, liveLedger, onDurable, viewFolds } = ports;

export const views = defineRoom({
  name: 'kit/views',
  events: [],
  views: async () => {
    const [
      { runView },
      { waitView },
      { secretView },
      { slotView },
      { eventIndex, maintenanceRunIndex },
      { textView },
      { graphRunView },
      { stateView },
      { egressView },
    ] = await Promise.all([
      import('./run-view.ts'),
      import('./wait-view.ts'),
      import('./secret-view.ts'),
      import('./slot-view.ts'),
      import('./event-index.ts'),
      import('./text-view.ts'),
      import('./graph-run-view.ts'),
      import('./state-view.ts'),
      import('./egress-view.ts'),
    ]);
    return [
      waitView,
      runView,
      secretView,
      slotView,
      eventIndex,
      maintenanceRunIndex,
      textView,
      graphRunView,
      stateView,
      egressView,
    ];
  },
  needs: { home, liveLedger, onDurable, viewFolds },
  open: async (needed) => {
    const { startViewsWriter } = await import('../rows/views-writer.ts');
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
