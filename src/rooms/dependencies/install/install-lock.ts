/** One at a time in .oka/tools, among all processes: an installation, or tidying up. The lock dies with its holder. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../core/schema/errors.ts';

const LOCK_POLL_MS = 100;

/** Waits as long as it takes, or until `signal` says otherwise. */
export async function runExclusively<T>(lock: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const handle = tryLock(lock);
    if (handle !== null) return await runLocked(handle, work);
    await sleep(LOCK_POLL_MS, undefined, { signal });
  }
}

/** Null when somebody else is at work. */
export async function tryRunExclusively<T>(lock: string, work: () => Promise<T>): Promise<T | null> {
  const handle = tryLock(lock);
  return handle === null ? null : runLocked(handle, work);
}

async function runLocked<T>(handle: DatabaseSync, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    handle.close();
  }
}

function tryLock(lock: string): DatabaseSync | null {
  mkdirSync(dirname(lock), { recursive: true });
  const database = new DatabaseSync(lock, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if (/locked|busy/i.test(messageOf(error))) return null;
    throw error;
  }
}
