/** Owns: running what is due of schedules in this process, until nothing is left to start; for `oka schedule tick`. */
import type { RunState } from '../../core/engine/run-state.ts';
import type { Host } from '../../kit/house/host.ts';
import type { Log } from '../../kit/log-line.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { nextScheduledRun, startScheduled } from './start-scheduled.ts';

/** Returns the runs in the order in which they started, as they are when each has settled. */
export async function runScheduled(host: Host, log: Log, signal: AbortSignal): Promise<RunState[]> {
  const { schedules } = host.valuesOf({ schedules: ports.schedules });
  const settled: RunState[] = [];
  while (!signal.aborted && nextScheduledRun(schedules.state()).next !== null) {
    const started = await startScheduled(host, log);
    if (started === null) continue; // it was rejected, which is in the ledger
    log(`scheduled: ${started.title} (${started.run})`);
    await host.backend.wait(started.run);
    const state = await host.engine.stateOf(started.run);
    if (state !== null) settled.push(state);
  }
  return settled;
}
