/** What a member of a fleet has: its queues, its fence, and the stores of its home behind it. */
import type { FleetFiles } from './servers/fleet-files.ts';
import type { FleetMembers } from './servers/fleet-members.ts';
import type { FleetOrders } from './servers/fleet-orders.ts';
import type { MemorySharing } from './servers/member-memory.ts';
import type { ResultQueue } from './servers/result-queue.ts';
import type { SharedLog } from './servers/shared-values.ts';
import type { FenceOptions, RunLog } from './servers/run-fence.ts';
import type { TaskHomes } from './servers/task-homes.ts';
import type { TaskQueue } from './servers/task-queue.ts';
import type { FleetAnswers } from '../../core/schema/answer-rights.ts';
import type { FleetPort } from '../../kit/ports/fleet-port.ts';
import { port } from '../../core/schema/room.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';
import type { OwnedRuns } from './owned-runs.ts';

export type FleetMember = FleetPort & {
  labels: readonly string[];
  ackWaitMs: number;
  fence: FenceOptions;
  log: RunLog;
  /** Rejects when the stream of runs is not the one any more that this member works with, or has yet to be refilled. */
  checkStream: () => Promise<void>;
  /** Whose task an id means. */
  homes: TaskHomes;
  queue: TaskQueue;
  results: ResultQueue;
  files: FleetFiles;
  members: FleetMembers;
  /** Values that all members change. */
  shared: SharedLog;
  /** Facts that members share; null when this one neither gives nor takes any. */
  memory: MemorySharing | null;
  orders: FleetOrders;
  /** Who may answer questions of its runs. */
  answers: FleetAnswers;
  owned: OwnedRuns;
  /** The ledger without the fence, for what the fleet itself records. */
  ownLedger: LedgerPort;
  isConnected: () => boolean;
  /** Says why the servers have not stored something, if they tell. */
  explain: (error: unknown) => Promise<unknown>;
  /** What the servers did not have any more, and members fill again by themselves. */
  lost: readonly string[];
};

/** The same value as `ports.fleet`, for whoever does the work of the fleet. */
export const memberPort = port<FleetMember | null>('fleet');
