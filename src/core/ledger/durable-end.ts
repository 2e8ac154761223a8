/** How far a run ledger may be read by somebody who derives data from it: only what no power cut can undo. */
import { closeSync, constants, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { OkaError } from '../schema/errors.ts';
import { describeErrno, lstatIfPresent } from './disk.ts';
import { lastSeqOf } from './seek.ts';

/**
 * The last run event that is safe on disk now. It is flushed here, since its writer may not have done so yet.
 * Refuses a ledger that ends before an event that was read from it already.
 */
export async function durableEnd(file: string, alreadyRead: number): Promise<number> {
  const end = lastSeqOf(file);
  if (end < alreadyRead) throw shorterThanRead(end, alreadyRead);
  if (end === 0 && (lstatIfPresent(file)?.size ?? 0) === 0) return 0;
  if (end === 0)
    throw new OkaError('ledger-damaged', `${file}: the last record cannot be read`, { fix: 'Run: oka verify' });
  await flushFile(file);
  return end;
}

/** The run ledger has lost events that maintenance has read already: an older file has replaced it. */
export function shorterThanRead(end: number, alreadyRead: number): OkaError {
  return new OkaError(
    'refused',
    `the run ledger ends at event ${end}, but maintenance has already read event ${alreadyRead}: an older file has replaced it`,
    { fix: 'Restore run_ledger.jsonl from a backup or replica, or move .oka/maintenance away to learn from scratch.' },
  );
}

const flush = promisify(fdatasync);

async function flushFile(file: string): Promise<void> {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    await flush(fd).finally(() => closeSync(fd));
  } catch (error) {
    throw describeErrno(error, file);
  }
}
