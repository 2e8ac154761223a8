/** How a home is doing right now, whatever face shows it: its worker, its switches, and what somebody has to correct. */
import { join } from 'node:path';
import { listRejected } from '../../kit/inbox/list-rejected.ts';
import { listUntaken } from '../../kit/inbox/list-untaken.ts';
import { failingSchedules, type Schedules, schedulesProjection } from '../../kit/schedule/schedule-state.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import type { Home } from '../../core/schema/home.ts';
import { type HomeCondition, readCondition } from '../../rooms/records/home-condition.ts';
import { readWorkerHealth, type WorkerHealth } from './worker-health.ts';

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
      ...(await heldSchedules(home, schedules)),
      ...failingSchedules(schedules),
      ...late.map(({ schedule, slot, isBehind }) => ({
        schedule,
        reason: `${slot.slice(0, 16).replace('T', ' ')} UTC has come and it has not begun: ${isBehind ? 'its earlier run is not over' : why}`,
      })),
    ],
  };
}

/** A home that was copied holds all of its schedules, if it has any. */
async function heldSchedules(home: Home, { byId, isClockOn }: Schedules): Promise<HomeStatus['schedules']> {
  if (!isClockOn || Object.keys(byId).length === 0) return [];
  const reason = (await import('../../kit/home/home-place.ts')).describeCopy(home);
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
  const [{ loadConfig }, { slotsOf }, { taskGraph }, { goalsAtWork }] = await Promise.all([
    import('../../kit/settings.ts'),
    import('../../kit/house/local-backend.ts'),
    import('../../core/ledger/task-graph.ts'),
    import('../../kit/views/desk-wait.ts'),
  ]);
  const parallel = slotsOf(await loadConfig(home));
  const { state } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
  const atWork = goalsAtWork(state.goals);
  if (atWork >= parallel)
    return `${atWork === 1 ? '1 task is' : `${atWork} tasks are`} at work, and no more than ${parallel} may be at once`;
  return 'a file is taken when it has not changed for a moment and nobody has it open';
}

/** How the worker stands in one word: it works, begins nothing new, is halted, does not respond, or is not there. */
type WorkerState = 'running' | 'paused' | 'stopped' | 'silent' | 'none';

export function workerStateOf({ worker, silent_ms, stopped, paused }: HomeStatus): WorkerState {
  if (stopped) return 'stopped';
  if (worker === null) return 'none';
  if (silent_ms !== null) return 'silent';
  return paused ? 'paused' : 'running';
}
