/** What `oka status` answers with: the home, its ledger in short, what is active, and what a person should look at. */
import type { FailingChannel } from '../../rooms/channels/channels-status.ts';
import { hasChannels } from '../../rooms/channels/lazy-reaching.ts';
import { sandboxWarning } from '../../kit/sandbox/sandbox-note.ts';
import { type DayBudgetStatus, readDayBudget } from '../../kit/policy/read-day-budget.ts';
import type { GivenTasks } from '../../kit/fleet/given-tasks.ts';
import { hasFleet, readOverview, type UnsentTask } from '../../kit/fleet/fleet-overview.ts';
import { type HomeStatus, readHomeStatus } from './home-status.ts';
import { fleetEnvironment } from '../../kit/settings.ts';
import { readVerification } from '../../kit/home/verification-state.ts';
import type { Goal } from '../../core/ledger/goal.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { taskGraph } from '../../core/ledger/task-graph.ts';
import type { FleetOverview } from '../../core/schema/fleet.ts';
import type { Home } from '../../core/schema/home.ts';

export type Status = HomeStatus & {
  dir: string;
  ledger: { events: number; bytes: number; head: string; fault: Fault | null; verified: Verified };
  /** Why commands run without a sandbox here; null when they are sandboxed, and where none has run yet. */
  unsandboxed: string | null;
  /** What models may cost today, over all runs. */
  day_budget: DayBudgetStatus;
  goals: Goal[];
  ended: Goal[];
  /** Channels that fail. */
  channels: FailingChannel[];
  /** The fleet as the worker saw it last; null when this home works alone. */
  fleet: FleetOverview | null;
  /** What tasks of this home ask that others in its fleet work on. */
  asked: GivenTasks['waits'];
  /** Tasks of this home that the fleet does not take, and why. */
  unsent: UnsentTask[];
};

/** The last event that verification in the background has reached, and when; what it found damaged. */
export type Verified = { up_to: number; at: string | null; damaged: number[] };

type Fault = { seq: number; offset: number; reason: string };

export async function readStatus(home: Home): Promise<Status> {
  const { worker, silent_ms, rejected, untaken, schedules, ...condition } = await readHomeStatus(home);
  const { state, end, fault } = await peekProjection(home.ledgers.run, home.oka, taskGraph);
  const { goals, ended } = state;
  return {
    dir: home.dir,
    worker,
    silent_ms,
    ...condition,
    ledger: { events: end.seq, bytes: end.offset, head: end.hash, fault, verified: verifiedIn(home) },
    unsandboxed: sandboxWarning(home),
    day_budget: await readDayBudget(home),
    goals,
    ended,
    rejected,
    untaken,
    schedules,
    channels: hasChannels(home)
      ? await (await import('../../rooms/channels/channels-status.ts')).readFailingChannels(home)
      : [],
    ...(await readFleet(home)),
  };
}

/** Homes that work alone load nothing for it. */
async function readFleet(home: Home): Promise<Pick<Status, 'fleet' | 'asked' | 'unsent'>> {
  const isMember = fleetEnvironment() !== null;
  return {
    fleet: isMember ? readOverview(home) : null,
    asked: hasFleet(home) ? (await (await import('../../kit/fleet/given-tasks.ts')).readGiven(home)).waits : [],
    unsent: isMember ? (await import('../../kit/fleet/unsent-task.ts')).readUnsent(home) : [],
  };
}

function verifiedIn(home: Home): Verified {
  const { upTo, finished, faults } = readVerification(home, 'run');
  return { up_to: upTo, at: finished, damaged: faults.map(({ seq }) => seq) };
}
