/**
 * Owns: whether what a run does here may still reach the outside. A worker that stood still may have lost its runs without
 * knowing it.
 *
 * C1 Nothing goes out while the stream has not said for a third of the time of silence that the run is ours. Another member
 *    may take it over after that time, counted from when it last heard of us, and we are heard of three times in it: so
 *    whoever may have lost a run has to ask before anything of it goes out.
 * C2 While the servers do not answer, it waits; nothing is stopped for that.
 */
import type { ClaimCheck } from '../../core/schema/ports.ts';
import type { OwnedRuns } from './owned-runs.ts';
import { pause } from '../../kit/pause.ts';
import type { RunFence } from './servers/run-fence.ts';

const RETRY_MS = 250;

/** After how long a former owner lets nothing out any more, wherever it stands still. */
export const quietAfterMs = (ackWaitMs: number): number => ackWaitMs / 3;

export function confirmedClaims(owned: Pick<OwnedRuns, 'fenceOf'>, ackWaitMs: number): ClaimCheck {
  const limitMs = quietAfterMs(ackWaitMs);
  const asking = new WeakMap<RunFence, Promise<void>>();
  const fenceOf = (run: string | null): RunFence | 'lost' | null => (run === null ? null : owned.fenceOf(run));
  const isConfirmed = (fence: RunFence): boolean => !fence.isLost && fence.unconfirmedMs() < limitMs;
  const ask = (fence: RunFence): Promise<void> => {
    const asked =
      asking.get(fence) ??
      fence
        .confirm()
        .catch(() => undefined) // servers that do not answer are asked again
        .finally(() => asking.delete(fence));
    asking.set(fence, asked);
    return asked;
  };
  return {
    isSure: (run) => {
      const fence = fenceOf(run);
      return fence === null || (fence !== 'lost' && isConfirmed(fence));
    },
    makeSure: async (run, signal) => {
      for (;;) {
        const fence = fenceOf(run);
        if (fence === null) return null;
        if (fence === 'lost' || fence.isLost) return `another member of the fleet goes on with ${run}`;
        if (isConfirmed(fence)) return null;
        if (signal.aborted) return `the message servers do not say whether ${run} is still worked on here`;
        await ask(fence);
        if (!fence.isLost && !isConfirmed(fence)) await pause(RETRY_MS, signal);
      }
    },
  };
}
