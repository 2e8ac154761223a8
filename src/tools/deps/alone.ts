/** One at a time in .oka/tools, among all processes: an installation, or tidying up. The lock dies with its holder. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../schema/errors.ts';

const LOOK_EVERY_MS = 100;

/** Waits as long as it takes, or until `signal` says otherwise. */
export async function alone<T>(lock: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const held = taken(lock);
    if (held !== null) return await whileHeld(held, work);
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** Null when somebody else is at work. */
export async function aloneOrNot<T>(lock: string, work: () => Promise<T>): Promise<T | null> {
  const held = taken(lock);
  return held === null ? null : whileHeld(held, work);
}

async function whileHeld<T>(held: DatabaseSync, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    held.close();
  }
}

function taken(lock: string): DatabaseSync | null {
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
