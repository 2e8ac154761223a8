/** What a member has in progress for the fleet. */
import type { QueuedTask } from './servers/task-queue.ts';
import type { Host } from '../../kit/house/host.ts';
import type { Log } from '../../kit/log-line.ts';
import type { FleetMember } from './fleet-member.ts';
import { pause } from '../../kit/pause.ts';

/** A task in progress here; when it is delivered again, the later delivery is the one to answer. */
export type Active = { taken: QueuedTask; isDriven: boolean };
export type Work = {
  host: Host;
  member: FleetMember;
  signal: AbortSignal;
  log: Log;
  active: Map<string, Active>;
  fenced: { count: number };
  /** Why this member cannot continue a run, by task. */
  unable: Map<string, string>;
  /** Runs whose events in the stream differ from this ledger. */
  differing: Set<string>;
  /** How far the streams of tasks that others work on were read, by task. */
  looked: Map<string, number>;
  /** Whether a command that outlived the worker before may still use the desk. */
  isDeskInUse: boolean;
  /** Tasks whose results are being stored at this home. */
  storing: Set<string>;
};

const REST_MS = 500;

/** A moment before something is tried again. */
export const rest = (signal: AbortSignal): Promise<void> => pause(REST_MS, signal);
