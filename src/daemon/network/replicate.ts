/**
 * Owns: keeping the replica of a home up to date, beside whatever else a process does, and saying where that stands.
 *
 * R1 Nobody waits for it, and nothing that happens to it ends the process around it.
 * R2 One follower at a time, held by a lock that dies with its holder.
 * R3 A person's word holds: off until it is switched on again; stopped until a person has looked.
 */
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { type Holder, penHolder, takePen } from '../../ledger/pen.ts';
import { lastSeqOf } from '../../ledger/seek.ts';
import { type Ended, replicateLedgers, type Progress, type Until } from '../../replica/replicate-ledgers.ts';
import { isSwitchedOff, createStateRecorder, type StateRecorder, readState, switchStamp } from '../../replica/state.ts';
import type { Config } from '../../schema/config.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import type { Pen } from '../../schema/event.ts';
import type { ReplicaState } from '../../schema/replica.ts';
import {
  ledgerName,
  connectReplica,
  replicaFolder,
  replicaUrl,
  type ReplicaConnection,
  shownUrl,
} from './replica-connection.ts';
import type { Home } from '../../schema/home.ts';

const LOOK_MS = 2000;

/** Until the signal. Does nothing where no replica is set. */
export async function replicating(
  home: Home,
  config: Config,
  signal: AbortSignal,
  tell: (text: string) => void,
): Promise<void> {
  const folder = replicaFolder(home);
  if (replicaUrl(config) === null) return;
  while (!signal.aborted) {
    const stamp = switchStamp(folder);
    if (!isSwitchedOff(folder)) {
      const ended = await onceFree(home, config, signal).catch(asStopped);
      if (ended.kind === 'stopped') tell(`Replication has stopped: ${ended.why}\n${ended.fix}`);
    }
    while (!signal.aborted && switchStamp(folder) === stamp) await pause(LOOK_MS, signal);
  }
}

/** Waits for another follower to end, and for a first event to be known by. */
async function onceFree(home: Home, config: Config, signal: AbortSignal): Promise<Ended> {
  while (!signal.aborted) {
    const ended = await replicate(home, config, { kind: 'ever' }, signal);
    if (ended !== 'held' && ended !== 'empty') return ended;
    await pause(LOOK_MS, signal);
  }
  return { kind: 'aborted' };
}

/** `held`: another process replicates. `empty`: there is nothing yet. */
export async function replicate(
  home: Home,
  config: Config,
  until: Until,
  signal: AbortSignal,
  told: (told: Progress) => void = () => undefined,
): Promise<Ended | 'held' | 'empty'> {
  const ledger = await ledgerName(home, config);
  if (ledger === null) return 'empty';
  const held = lockOf(home);
  if (held === null) return 'held';
  try {
    return await followed(home, config, ledger, until, signal, told);
  } finally {
    held.release();
  }
}

async function followed(
  home: Home,
  config: Config,
  ledger: string,
  until: Until,
  signal: AbortSignal,
  told: (told: Progress) => void,
): Promise<Ended> {
  const folder = replicaFolder(home);
  const keeper = createStateRecorder(folder, { url: shownUrl(config) ?? '', ledger }, Date.now);
  const ended = await connectReplica(home, config)
    .then((way) => replicateLedgers(portsOf(home, config, way, ledger, keeper, told), until, signal))
    .catch(asStopped);
  if (ended.kind === 'stopped') keeper.stopped(ended.why, ended.fix);
  else keeper.flush();
  return ended;
}

function portsOf(
  home: Home,
  config: Config,
  { replica, outgoing, ready }: ReplicaConnection,
  ledger: string,
  keeper: StateRecorder,
  told: (told: Progress) => void,
): Parameters<typeof replicateLedgers>[0] {
  const { events, kb, seconds } = config.replica.batch;
  return {
    replica,
    ledger,
    files: home.ledgers,
    outgoing,
    ready,
    limits: { events, bytes: kb * 1024 },
    pollMs: seconds * 1000,
    clock: Date.now,
    random: Math.random,
    sleep: pause,
    isOff: () => isSwitchedOff(replicaFolder(home)),
    report(each) {
      keeper.report(each);
      told(each);
    },
  };
}

export type ReplicaStatus = {
  url: string | null;
  ledger: string | null;
  off: boolean;
  /** The process that replicates. */
  follower: Holder | null;
  /** What was last written down, if it is about this replica. */
  state: ReplicaState | null;
  /** The last event here, and the last that the replica was known to have. */
  pens: { [pen in Pen]: { here: number; there: number } };
};

/** Asks nobody: what is known here. */
export async function replicaStatus(home: Home, config: Config): Promise<ReplicaStatus> {
  const folder = replicaFolder(home);
  const [url, ledger] = [shownUrl(config), await ledgerName(home, config)];
  const kept = readState(folder);
  const state = kept !== null && kept.url === url && kept.ledger === ledger ? kept : null;
  const reached = (pen: Pen): { here: number; there: number } => ({
    here: lastSeqOf(home.ledgers[pen]),
    there: state?.pens[pen]?.seq ?? 0,
  });
  return {
    url,
    ledger,
    off: isSwitchedOff(folder),
    follower: penHolder(lockName(home)),
    state,
    pens: { run: reached('run'), maintenance: reached('maintenance') },
  };
}

/** The lock lies in locks/ beside the file that it is named after; there is no such file. */
const lockName = (home: Home): string => join(replicaFolder(home), 'follower.jsonl');

function lockOf(home: Home): { release(): void } | null {
  try {
    return takePen(lockName(home), Date.now());
  } catch (error) {
    if (error instanceof OkaError && error.code === 'pen-held') return null;
    throw error;
  }
}

function asStopped(error: unknown): Ended & { kind: 'stopped' } {
  const fix = error instanceof OkaError ? error.fix : undefined;
  return { kind: 'stopped', why: messageOf(error), fix: fix ?? 'Mend it, then run: oka replica on' };
}

/** Resolves early when the signal comes. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await after(ms, undefined, { signal }).catch(() => undefined);
}
