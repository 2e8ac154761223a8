/**
 * Owns: opening a ledger for writing: verify the chain, cut off a torn end, refuse a damaged file (L1).
 *
 * R1 Nothing is cut off before a durable copy of it is in the quarantine.
 * R2 What was found is flushed before it counts as durable: so far it may only be in the page cache.
 * R3 A ledger that does not contain what its anchors claim is refused before anything is changed (anchor.ts).
 * R4 The cost depends on what follows the given position, not on the length of history (L4).
 */
import { hash } from 'node:crypto';
import { fstatSync, ftruncateSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, OkaError } from '../schema/errors.ts';
import { eventData, type Line } from '../schema/event.ts';
import type { Flush } from '../schema/ports.ts';
import { upgradeLine } from '../schema/upgrade.ts';
import { type Claim, type Rollback, rollbackOf, rolledBackError } from './anchor.ts';
import type { Fault } from './hash-chain.ts';
import { describeErrno, makeFolder, replaceFile } from './disk.ts';
import { type History, historyOf, isTornEnd, walkChain } from './history.ts';
import { parseLine, type Position, START } from './line.ts';
import { positionEndingAt } from './seek.ts';

export type Cut = { offset: number; bytes: number; sha256: string; kept: string };
export type Recovered = { base: number; end: Position; cut: Cut | null; rollback: Rollback | null };
type RecoverOptions = {
  from?: Position | null;
  onRestart?: () => void;
  onLine?: (line: Line) => void;
  /** Records that the ledger must contain. */
  claims?: readonly Claim[];
  /** Whether a person has decided to go on although claimed records are missing. */
  acceptRollback?: boolean;
};

export async function recover(file: string, fd: number, flush: Flush, options: RecoverOptions): Promise<Recovered> {
  const history = historyOf(file, fd);
  const from = checkedStart(history, options);
  const { end, fault } = await walkChain(history, from, (raw) => options.onLine?.(upgradeKnown(parseLine(raw.bytes))));
  if (fault !== null && !(await isTornEnd(history, fault))) throw damagedError(file, fault);
  const rollback = rollbackOf(history, end, options.claims ?? []);
  if (rollback !== null && options.acceptRollback !== true) throw rolledBackError(file, rollback);
  const cut = fault === null ? null : cutTornEnd(file, history, end);
  flushOrFail(file, fd, flush);
  return { base: history.live.base, end, cut, rollback };
}

function flushOrFail(file: string, fd: number, flush: Flush): void {
  try {
    flush.now(fd);
  } catch (error) {
    throw new OkaError('flush-failed', `${file} could not be flushed to disk: ${messageOf(error)}`, {
      fix: 'Check the disk, then start again.',
      cause: error,
    });
  }
}

/** The given position if the record there matches it, else the very beginning. */
function checkedStart(history: History, options: RecoverOptions): Position {
  const { from } = options;
  if (from === null || from === undefined || from.seq === 0) return START;
  const found = positionEndingAt(history.live, from.offset);
  if (found !== null && found.seq === from.seq && found.hash === from.hash) return from;
  options.onRestart?.();
  return START;
}

function upgradeKnown(line: Line): Line {
  if (Object.hasOwn(eventData, line.type)) return upgradeLine(line);
  throw new OkaError(
    'newer-version',
    `event ${line.seq} has the type "${line.type}", which this version of oka does not know`,
    {
      fix: 'Use the version of oka that wrote this ledger, or a newer one.',
    },
  );
}

function cutTornEnd(file: string, history: History, end: Position): Cut {
  const { fd, base } = history.live;
  const torn = readBytesFrom(fd, end.offset - base);
  const sha256 = hash('sha256', torn);
  const name = `${end.seq + 1}-${sha256.slice(0, 12)}.bin`;
  const folder = join(dirname(file), 'quarantine');
  makeFolder(folder);
  replaceFile(join(folder, name), torn, { durable: true });
  try {
    ftruncateSync(fd, end.offset - base);
  } catch (error) {
    throw describeErrno(error, file);
  }
  return { offset: end.offset, bytes: torn.length, sha256, kept: `quarantine/${name}` };
}

function readBytesFrom(fd: number, from: number): Buffer {
  const bytes = Buffer.alloc(fstatSync(fd).size - from);
  for (let done = 0; done < bytes.length; ) {
    const count = readSync(fd, bytes, done, bytes.length - done, from + done);
    if (count === 0) return bytes.subarray(0, done);
    done += count;
  }
  return bytes;
}

export function damagedError(file: string, fault: Fault): OkaError {
  return new OkaError(
    'ledger-damaged',
    `${file} is damaged at seq ${fault.seq}, byte ${fault.offset}: ${fault.reason}`,
    {
      fix: 'Nothing was changed. Restore the file from a backup or replica; `oka verify` shows where it breaks.',
    },
  );
}
