/**
 * Owns: keeping the replica of a home up to date in the background of a process, and reporting how far it is.
 *
 * R1 Nobody waits for it, and nothing that happens to it ends the process around it.
 * R2 One follower at a time, under a lock that is released when its process ends.
 * R3 Only a person switches it on or off: off stays off, and stopped stays stopped until a person has dealt with it.
 */
import { join } from 'node:path';
import { type Holder, penHolder, takePen } from '../../core/ledger/pen.ts';
import { lastSeqOf } from '../../core/ledger/seek.ts';
import { type Ended, replicateLedgers, type Progress, type Until } from './copy/replicate-ledgers.ts';
import { isSwitchedOff, createStateRecorder, type StateRecorder, readState, switchStamp } from './copy/state.ts';
import type { Config } from '../../core/schema/config.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Pen } from '../../core/schema/event.ts';
import type { ReplicaState } from '../../core/schema/replica.ts';
import {
  ledgerName,
  connectReplica,
  replicaFolder,
  replicaUrl,
  type ReplicaConnection,
  shownUrl,
} from './replica-connection.ts';
import type { Home } from '../../core/schema/home.ts';
import { pause } from '../../kit/pause.ts';

const POLL_MS = 2000;

/** Replicates until the signal; does nothing where no replica is set. */
export async function keepReplicating(
  home: Home,
  config: Config,
  signal: AbortSignal,
  log: (text: string) => void,
): Promise<void> {
  const folder = replicaFolder(home);
  if (replicaUrl(config) === null) return;
  while (!signal.aborted) {
    const stamp = switchStamp(folder);
    if (!isSwitchedOff(folder)) {
      const ended = await whenUnlocked(home, config, signal).catch(toStopped);
      if (ended.kind === 'stopped') log(`Replication has stopped: ${ended.why}\n${ended.fix}`);
    }
    while (!signal.aborted && switchStamp(folder) === stamp) await pause(POLL_MS, signal);
  }
}

/** Waits until no other process replicates and the ledger has its first event, whose hash names it. */
async function whenUnlocked(home: Home, config: Config, signal: AbortSignal): Promise<Ended> {
  while (!signal.aborted) {
    const ended = await replicate(home, config, { kind: 'ever' }, signal);
    if (ended !== 'locked' && ended !== 'empty') return ended;
    await pause(POLL_MS, signal);
  }
  return { kind: 'aborted' };
}

/** Sends what is pending, once; a sentence for a person about that, or why it was not sent. Null where no replica is set. */
export async function replicatePending(home: Home, config: Config, signal: AbortSignal): Promise<string | null> {
  if (replicaUrl(config) === null) return null;
  if (isSwitchedOff(replicaFolder(home))) return 'nothing was sent to the replica: it is off (oka replica on)';
  const places = new Map<Pen, number>();
  const report = (each: Progress): void => void (each.kind !== 'waiting' && places.set(each.pen, each.place.seq));
  const until = { kind: 'caught-up', failures: 1 } as const;
  const ended = await replicate(home, config, until, signal, report).catch(toStopped);
  if (ended === 'locked') return 'another process sends to the replica: oka replica status';
  if (ended === 'empty') return null;
  if ('why' in ended)
    return `the replica did not get everything: ${ended.why}${ended.kind === 'stopped' ? ` ${ended.fix}` : ''}`;
  const there = `${places.get('run') ?? 0} and ${places.get('maintenance') ?? 0}`;
  return ended.kind === 'caught-up'
    ? `the replica has all events: ${there} of maintenance`
    : `sending to the replica ended early; it has ${there} events of maintenance`;
}

/** `locked`: another process replicates. `empty`: there is no event yet. */
export async function replicate(
  home: Home,
  config: Config,
  until: Until,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void = () => undefined,
): Promise<Ended | 'locked' | 'empty'> {
  const ledger = await ledgerName(home, config);
  if (ledger === null) return 'empty';
  const lock = tryLock(home);
  if (lock === null) return 'locked';
  try {
    return await follow(home, config, ledger, until, signal, onProgress);
  } finally {
    lock.release();
  }
}

async function follow(
  home: Home,
  config: Config,
  ledger: string,
  until: Until,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Ended> {
  const folder = replicaFolder(home);
  const recorder = createStateRecorder(folder, { url: shownUrl(config) ?? '', ledger }, Date.now);
  const ended = await connectReplica(home, config)
    .then((connection) =>
      replicateLedgers(portsOf(home, config, connection, ledger, recorder, onProgress), until, signal),
    )
    .catch(toStopped);
  if (ended.kind === 'stopped') recorder.stopped(ended.why, ended.fix);
  else recorder.flush();
  return ended;
}

function portsOf(
  home: Home,
  config: Config,
  { replica, outgoing, ready }: ReplicaConnection,
  ledger: string,
  recorder: StateRecorder,
  onProgress: (progress: Progress) => void,
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
      recorder.report(each);
      onProgress(each);
    },
  };
}

export type ReplicaStatus = {
  url: string | null;
  ledger: string | null;
  off: boolean;
  /** The process that replicates. */
  follower: Holder | null;
  /** The stored state, if it is about this replica. */
  state: ReplicaState | null;
  /** The last event here, and the last that the replica was known to have. */
  pens: { [pen in Pen]: { here: number; there: number } };
};

/** What is known on this machine; nothing is requested. */
export async function replicaStatus(home: Home, config: Config): Promise<ReplicaStatus> {
  const folder = replicaFolder(home);
  const [url, ledger] = [shownUrl(config), await ledgerName(home, config)];
  const stored = readState(folder);
  const state = stored !== null && stored.url === url && stored.ledger === ledger ? stored : null;
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

/** The lock is a file in locks/, named after this one; a file of this name itself does not exist. */
const lockName = (home: Home): string => join(replicaFolder(home), 'follower.jsonl');

function tryLock(home: Home): { release(): void } | null {
  try {
    return takePen(lockName(home), Date.now());
  } catch (error) {
    if (error instanceof OkaError && error.code === 'pen-held') return null;
    throw error;
  }
}

function toStopped(error: unknown): Ended & { kind: 'stopped' } {
  const fix = error instanceof OkaError ? error.fix : undefined;
  return { kind: 'stopped', why: messageOf(error), fix: fix ?? 'Fix it, then run: oka replica on' };
}
