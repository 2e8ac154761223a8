/** How a home is doing right now, whatever face shows it: its worker, its switches, and what somebody has to correct. */
import { join } from 'node:path';
import { listRejected } from '../../kit/inbox/list-rejected.ts';
import { describeCopy } from '../../kit/home/home-place.ts';
import { listUntaken } from '../../kit/inbox/list-untaken.ts';
import { failingSchedules, type Schedules, schedulesProjection } from '../../kit/schedule/schedule-state.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import type { Holder } from '../../core/ledger/pen.ts';
import { penHealth } from '../../core/ledger/pen-health.ts';
import { taskGraph } from '../../core/ledger/task-graph.ts';
import type { Home } from '../../core/schema/home.ts';
import { goalsAtWork } from '../../kit/views/desk-wait.ts';
import { type HomeCondition, readCondition } from '../../rooms/records/home-condition.ts';

export type WorkerHealth = { worker: Holder | null; silent_ms: number | null };
export type HomeStatus = WorkerHealth &
  HomeCondition & {
    rejected: { total: number; entries: { name: string; reason: string }[] };
    /** What lies in the inbox, and why it was not taken yet; null when there is nothing. */
    untaken: { total: number; names: string[]; why: string | null };
    /** Schedules whose last runs failed, whose files cannot be read, or whose time has come and not begun. */
    schedules: { schedule: string; reason: string }[];
  };

const MOST_REJECTED = 10;

/** Reads no history: only what is open, and small files. */
export async function readHomeStatus(home: Home): Promise<HomeStatus> {
  const { state: schedules } = await peekProjection(home.ledgers.run, home.oka, schedulesProjection);
  const condition = { ...readWorkerHealth(home), ...(await readCondition(home)) };
  const inbox = join(home.workspace, 'inbox');
  const lying = listUntaken(inbox, MOST_REJECTED);
  const late = lateRuns(schedules);
  const why = lying.total + late.length === 0 ? null : await whyNotBegun(home, condition);
  return {
    ...condition,
    rejected: listRejected(inbox, MOST_REJECTED),
    untaken: { ...lying, why: lying.total === 0 ? null : why },
    schedules: [
      ...heldSchedules(home, schedules),
      ...failingSchedules(schedules),
      ...late.map(({ schedule, slot, isBehind }) => ({
        schedule,
        reason: `${slot.slice(0, 16).replace('T', ' ')} UTC has come and it has not begun: ${isBehind ? 'its earlier run is not over' : why}`,
      })),
    ],
  };
}

/** A home that was copied holds all of its schedules, if it has any. */
function heldSchedules(home: Home, { byId, isClockOn }: Schedules): HomeStatus['schedules'] {
  const reason = isClockOn && Object.keys(byId).length > 0 ? describeCopy(home) : null;
  return reason === null ? [] : [{ schedule: 'all', reason }];
}

/** How late a time may begin before anybody is told. */
const LATE_MS = 10_000;

/** Times of schedules that have come and not begun, and whether they wait for an earlier one. */
function lateRuns({ runs }: Schedules): { schedule: string; slot: string; isBehind: boolean }[] {
  const all = Object.values(runs);
  const started = new Set(all.flatMap(({ schedule, isStarted }) => (isStarted ? [schedule] : [])));
  return all
    .filter(({ slot, isStarted }) => !isStarted && Date.parse(slot) < Date.now() - LATE_MS)
    .map(({ schedule, slot }) => ({ schedule, slot, isBehind: started.has(schedule) }));
}

/** Why the worker begins nothing new now. */
async function whyNotBegun(
  home: Home,
  { worker, silent_ms, stopped, paused, rules_problem }: WorkerHealth & HomeCondition,
): Promise<string> {
  if (stopped) return 'everything is stopped';
  if (worker === null) return 'no worker is running';
  if (silent_ms !== null) return 'the worker does not respond';
  if (paused) return 'no new task begins while it is paused';
  if (rules_problem !== null) return 'the rules of this home cannot be read';
  const { loadConfig } = await import('../../kit/settings.ts');
  const { parallel } = (await loadConfig(home)).inbox;
  const { state } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
  const atWork = goalsAtWork(state.goals);
  if (atWork >= parallel) return `${atWork} tasks are at work, and no more than ${parallel} may be at once`;
  return 'a file is taken when it has not changed for a moment and nobody has it open';
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
