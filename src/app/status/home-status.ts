/** How a home is doing right now, whatever face shows it: its worker, its switches, and what somebody has to correct. */
import { join } from 'node:path';
import { listRejected } from '../../kit/inbox/list-rejected.ts';
import { describeCopy } from '../../kit/home/home-place.ts';
import { failingSchedules, type Schedules, schedulesProjection } from '../../kit/schedule/schedule-state.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import type { Holder } from '../../core/ledger/pen.ts';
import { penHealth } from '../../core/ledger/pen-health.ts';
import type { Home } from '../../core/schema/home.ts';
import { type HomeCondition, readCondition } from '../../rooms/records/home-condition.ts';

export type WorkerHealth = { worker: Holder | null; silent_ms: number | null };
export type HomeStatus = WorkerHealth &
  HomeCondition & {
    rejected: { total: number; entries: { name: string; reason: string }[] };
    /** Schedules whose last runs failed, or whose files cannot be read. */
    schedules: { schedule: string; reason: string }[];
  };

const MOST_REJECTED = 10;

/** Reads no history: only what is open, and small files. */
export async function readHomeStatus(home: Home): Promise<HomeStatus> {
  const schedules = await peekProjection(home.ledgers.run, home.oka, schedulesProjection);
  return {
    ...readWorkerHealth(home),
    ...(await readCondition(home)),
    rejected: listRejected(join(home.workspace, 'inbox'), MOST_REJECTED),
    schedules: [...heldSchedules(home, schedules.state), ...failingSchedules(schedules.state)],
  };
}

/** A home that was copied holds all of its schedules, if it has any. */
function heldSchedules(home: Home, { byId, isClockOn }: Schedules): HomeStatus['schedules'] {
  const reason = isClockOn && Object.keys(byId).length > 0 ? describeCopy(home) : null;
  return reason === null ? [] : [{ schedule: 'all', reason }];
}

/** `silent_ms` is how long the worker has not responded; null while it does, and 0 when it has not responded yet. */
export function readWorkerHealth(home: Home): WorkerHealth {
  const health = penHealth(home.ledgers.run);
  return { worker: health?.holder ?? null, silent_ms: health?.silentMs ?? null };
}

/** How the worker stands in one word: it works, begins nothing new, is halted, does not respond, or is not there. */
type WorkerState = 'running' | 'paused' | 'stopped' | 'silent' | 'none';

export function workerStateOf({ worker, silent_ms, stopped, paused }: HomeStatus): WorkerState {
  if (stopped) return 'stopped';
  if (worker === null) return 'none';
  if (silent_ms !== null) return 'silent';
  return paused ? 'paused' : 'running';
}
