/** Whether the worker of a home responds. Containers ask often, so it loads little and reads no ledger. */
import type { Holder } from '../../core/ledger/pen.ts';
import { penHealth } from '../../core/ledger/pen-health.ts';
import type { Home } from '../../core/schema/home.ts';

/** `silent_ms` is how long the worker has not responded; null while it does, and 0 when it has not responded yet. */
export type WorkerHealth = { worker: Holder | null; silent_ms: number | null };

export function readWorkerHealth(home: Home): WorkerHealth {
  const health = penHealth(home.ledgers.run);
  return { worker: health?.holder ?? null, silent_ms: health?.silentMs ?? null };
}
