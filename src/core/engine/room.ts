/** What the engine writes. It is made out of what the other rooms contribute (kit/house/wire.ts). */
import { defineRoom } from '../schema/room.ts';

export const engine = defineRoom({
  name: 'core/engine',
  events: [
    'run.started',
    'run.paused',
    'run.resumed',
    'run.time_skipped',
    'run.ended',
    'node.settled',
    'note.received',
    'error.handled',
    'decision.made',
    'decision.rejected',
    'call.started',
    'call.ended',
    'call.misclassified',
    'wait.opened',
    'wait.closed',
  ],
  projections: async () => [
    (await import('./graph-state.ts')).graphState,
    (await import('./graph-versions.ts')).graphVersions,
  ],
});
