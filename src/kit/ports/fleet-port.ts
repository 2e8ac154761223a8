/** This home as a member of a fleet, as rooms that know nothing of fleets use it. */
import type { HomeSpending } from '../../core/guard/day-spending.ts';
import type { Schedules, ScheduleState } from '../schedule/schedule-state.ts';
import type { SlotCame } from '../schedule/slots.ts';
import type { ScheduleChange } from '../schedule/sync-schedules.ts';
import type { DayNeed } from '../../core/schema/day-budget.ts';
import type { FleetReply } from '../../core/schema/fleet-requests.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { TakePlaces } from '../../core/chain/middleware/rate.ts';
import type { ArtifactStore, ClaimCheck, EventStore } from '../../core/schema/ports.ts';
import type { LedgerPort } from './port-types.ts';

export type FleetPort = {
  name: string;
  /** Times of schedules that several homes have. */
  slots: FleetSlots;
  /** What the homes of the fleet spend today. */
  spending: SharedSpending;
  /** Calls of all homes under rate limits. */
  rates: SharedRates;
  /** Requests about tasks that were given away. */
  relay: RequestRelay;
  /** Tasks that this process has claimed, and of which everything is here. */
  owned: { isReady(task: string): boolean; readyCount(): number };
  /** Whether something of a run may still reach the outside. */
  claims: ClaimCheck;
  /** How many tasks of the fleet are in progress here. */
  taskCount: () => number;
};

export type FleetSlots = {
  /** Intervals are counted from the same moment at every home. */
  withSharedAnchor(change: ScheduleChange): Promise<ScheduleChange>;
  /** What is to be recorded of the times that are due here; those that cannot be settled yet are left out. */
  settle(due: readonly SlotCame[], schedules: Schedules): Promise<SlotCame[]>;
  /** Whether this home may start the run of a time that it has recorded. */
  mayStart(slot: { run: string; schedule: string; slot: string }, state: ScheduleState): Promise<boolean>;
  /** Tells the others which runs of this home have ended. */
  noteEnded(schedules: Schedules): Promise<void>;
};

export type SharedSpending = {
  /** Resolves with what all homes have spent without this call; it is reserved if it fits. Null when it was stopped. */
  reserve(
    own: HomeSpending,
    call: { call: string; signal: AbortSignal },
    need: DayNeed,
    fits: (spending: HomeSpending) => boolean,
  ): Promise<HomeSpending | null>;
  /** Tells the others in the background what this home has spent, if that has changed, and learns what they have. */
  publish(own: () => HomeSpending, inTurn: <T>(work: () => Promise<T>) => Promise<T>): void;
  /** What the other homes have spent, as it was a moment ago; null when that is not known. */
  others(): HomeSpending[] | null;
};

export type SharedRates = { take: TakePlaces };

export type RequestRelay = {
  /**
   * Whether the owner has not replied yet. It is sent meanwhile. `task` is null when no task of it is away: a request
   * that was sent before still awaits its reply, since the result of a cancelled task may be faster.
   */
  isPending(id: string, task: string | null, intake: Intake): boolean;
  receive(from: string, reply: FleetReply): void;
  /** The reply to a request that is pending no longer; it is returned once. */
  takeReply(intake: Intake): FleetReply['reply'] | null;
};

/** What the rooms get in place of the stores of a home that works alone. */
export type FencedStores = { ledger: LedgerPort; events: EventStore; artifacts: ArtifactStore };

export type OpenFleet<Member extends FleetPort = FleetPort> = {
  member: Member;
  stores: FencedStores;
  close: () => Promise<void>;
};
