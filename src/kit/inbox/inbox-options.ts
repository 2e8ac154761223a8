/** Owns: what an inbox is opened with, and what it offers. */
import { renameSync } from 'node:fs';
import type { Clock } from '../../core/schema/ports.ts';
import type { Claimed, RefusedClaim } from './claim-task.ts';
import type { Rename } from './inbox-folders.ts';
import type { RecentTask } from './recent-claims.ts';
import type { Rejected } from './reject-task.ts';

export type InboxOptions = {
  inbox: string;
  /** How long an entry must stay unchanged to count as delivered. */
  settleMs?: number;
  /** How long to wait for an entry that is not finished. */
  patienceMs?: number;
  rescanMs?: number;
  /** Largest text of a task. */
  mostBytes?: number;
  /** Largest task folder. */
  mostFolderBytes?: number;
  mostFiles?: number;
  clock?: Clock;
  /** Whether the ledger has a task with this id. */
  isKnown: (id: string) => boolean;
  /** Whether the task with this id has ended and its result is written; its claim needs no further work. */
  hasResult?: (id: string) => boolean;
  /** Cancels a task whose file has changed since; false if it has already changed something. */
  withdraw?: (id: string) => Promise<boolean>;
  /** Tasks that an earlier process took from the inbox within the last minute. */
  recent?: readonly RecentTask[];
  on: {
    rejected(rejected: Rejected): Promise<void>;
    /** A problem that a person should know about; the inbox continues. Reported once until it is solved. */
    problem(text: string): void;
  };
  rename?: Rename;
  /** In a fleet: the home that asks. The same task at two homes is two tasks, and ids are made accordingly. */
  home?: string | null;
};

export type InboxSettings = Required<InboxOptions>;

export const withDefaults = (options: InboxOptions): InboxSettings => ({
  settleMs: 2000,
  patienceMs: 60_000,
  rescanMs: 15_000,
  mostBytes: 1024 * 1024,
  mostFolderBytes: 64 * 1024 * 1024,
  mostFiles: 1000,
  clock: Date.now,
  hasResult: () => false,
  withdraw: () => Promise.resolve(false),
  recent: [],
  rename: renameSync,
  home: null,
  ...options,
});

export type Inbox = {
  /** Claims the next task in order; waits until there is one. Null once closed or aborted. */
  next(signal?: AbortSignal): Promise<Claimed | null>;
  /** The same without waiting: null if none is ready. */
  take(): Promise<Claimed | null>;
  /** Call it when the task is in the ledger and its files are in place. */
  finish(claimed: Pick<Claimed, 'id'>): void;
  /** Returns a claim that could not be recorded in the ledger for now: it will be the next one. */
  putBack(claimed: Pick<Claimed, 'id'>): void;
  /** The same for one that may have to wait for long: others come first meanwhile. */
  holdUp(claimed: Pick<Claimed, 'id'>): void;
  /** Moves a claim aside that turned out not to be a task. */
  refuse(claimed: Claimed, why: RefusedClaim): Promise<void>;
  rescan(): Promise<void>;
  /** The number of entries that may be tasks, ready or not. */
  pending(): number;
  close(): Promise<void>;
};
