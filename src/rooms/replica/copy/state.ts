/**
 * Owns: the folder with the state of replication: state.json, written by the replicating process alone, and switch.json,
 * written when a person switches replication on or off. A damaged file counts as missing.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, replaceFile, stampOf } from '../../../core/ledger/disk.ts';
import type { Clock } from '../../../core/schema/ports.ts';
import { ReplicaState } from '../../../core/schema/replica.ts';
import type { Progress } from './replicate-ledgers.ts';

const MOST_BYTES = 64 * 1024;

const stateFile = (folder: string): string => join(folder, 'state.json');
export const switchFile = (folder: string): string => join(folder, 'switch.json');

export function readState(folder: string): ReplicaState | null {
  const read = ReplicaState.safeParse(readJsonFile(stateFile(folder)));
  return read.success ? read.data : null;
}

/** Not flushed: an older state, or none, does no harm after a power cut. */
function writeState(folder: string, state: ReplicaState): void {
  makeFolder(folder);
  replaceFile(stateFile(folder), `${JSON.stringify(state)}\n`);
}

export function isSwitchedOff(folder: string): boolean {
  const read = readJsonFile(switchFile(folder));
  return read !== null && typeof read === 'object' && 'on' in read && read.on === false;
}

/** Also restarts replication that has stopped with an error: it tries once more. */
export function switchReplication(folder: string, on: boolean, at: string): void {
  makeFolder(folder);
  replaceFile(switchFile(folder), `${JSON.stringify({ on, at })}\n`, { durable: true });
}

/** Changes whenever a person switches replication on or off. */
export const switchStamp = (folder: string): string => stampOf(switchFile(folder));

export type StateRecorder = { report(told: Progress): void; stopped(why: string, fix: string): void; flush(): void };

const WRITE_EVERY_MS = 1000;

/** Records the progress of replication: positions now and then, everything else at once. */
export function createStateRecorder(
  folder: string,
  to: Pick<ReplicaState, 'url' | 'ledger'>,
  clock: Clock,
): StateRecorder {
  const before = readState(folder);
  const isSame = before?.url === to.url && before.ledger === to.ledger;
  let pens: ReplicaState['pens'] = isSame ? before.pens : {};
  let doing: ReplicaState['doing'] = { kind: 'following' };
  let written = Number.NEGATIVE_INFINITY;
  let soon: NodeJS.Timeout | null = null;
  const write = (): void => {
    if (soon !== null) clearTimeout(soon);
    soon = null;
    written = clock();
    try {
      writeState(folder, { v: 1, ...to, at: instant(written), pens, doing });
    } catch {
      // The state is for information only; a full disk must not stop the copying of events.
    }
  };
  const become = (now: ReplicaState['doing']): void => {
    doing = now;
    write();
  };
  return {
    report(told) {
      if (told.kind === 'waiting') {
        const { since, until, failures, why } = told;
        return become({ kind: 'waiting', since: instant(since), until: instant(until), failures, why });
      }
      pens = { ...pens, [told.pen]: { seq: told.place.seq, hash: told.place.hash } };
      if (doing.kind !== 'following') become({ kind: 'following' });
      else if (clock() - written >= WRITE_EVERY_MS) write();
      else soon ??= setTimeout(write, WRITE_EVERY_MS).unref();
    },
    stopped: (why, fix) => become({ kind: 'stopped', why: why.slice(0, 2000), fix: fix.slice(0, 2000) }),
    flush: write,
  };
}

const instant = (ms: number): string => new Date(ms).toISOString();

/** Opening never blocks and follows no link. */
function readJsonFile(file: string): unknown {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile() || stats.size > MOST_BYTES) return null;
      const bytes = Buffer.alloc(stats.size);
      return JSON.parse(bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0)));
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}
