/** What a member of a fleet has: its queues, its fence, and the stores of its home behind it. */
import type { FleetFiles } from '../../fleet/fleet-files.ts';
import type { FleetMembers } from '../../fleet/fleet-members.ts';
import type { FleetOrders } from '../../fleet/fleet-orders.ts';
import type { MemorySharing } from '../../fleet/member-memory.ts';
import type { ResultQueue } from '../../fleet/result-queue.ts';
import type { SharedLog } from '../../fleet/shared-values.ts';
import type { FenceOptions, RunLog } from '../../fleet/run-fence.ts';
import type { TaskHomes } from '../../fleet/task-homes.ts';
import type { TaskQueue } from '../../fleet/task-queue.ts';
import type { FleetAnswers } from '../../schema/answer-rights.ts';
import type { ArtifactStore, EventStore } from '../../schema/ports.ts';
import type { LedgerPort } from '../port-types.ts';
import type { FleetSlots } from './fleet-slots.ts';
import type { OwnedRuns } from './owned-runs.ts';
import type { RequestRelay } from './request-relay.ts';
import type { SharedRates } from './shared-rates.ts';
import type { SharedSpending } from './shared-spending.ts';

export type FleetMember = {
  name: string;
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
  /** Times of schedules that several homes have. */
  slots: FleetSlots;
  /** What the homes of the fleet spend today. */
  spending: SharedSpending;
  /** Calls of all homes under rate limits. */
  rates: SharedRates;
  /** Facts that members share; null when this one neither gives nor takes any. */
  memory: MemorySharing | null;
  orders: FleetOrders;
  /** Requests about tasks that were given away. */
  relay: RequestRelay;
  /** Who may answer questions of its runs. */
  answers: FleetAnswers;
  owned: OwnedRuns;
  /** The ledger without the fence, for what the fleet itself records. */
  ownLedger: LedgerPort;
  isConnected: () => boolean;
  /** Says why the servers have not stored something, if they tell. */
  explain: (error: unknown) => Promise<unknown>;
  /** How many tasks of the fleet are in progress here. */
  taskCount: () => number;
  /** What the servers did not have any more, and members fill again by themselves. */
  lost: readonly string[];
};

/** What the rooms get in place of the stores of a home that works alone. */
export type FencedStores = { ledger: LedgerPort; events: EventStore; artifacts: ArtifactStore };
