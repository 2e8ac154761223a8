/** Owns: the note that the fleet does not take a task of this home, and why, for faces. The task itself is in the inbox. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../ledger/disk.ts';
import type { Home } from '../../schema/home.ts';

export type UnsentTask = { task: string; why: string; since: string };

const noteFile = ({ oka }: Home): string => join(oka, 'state', 'fleet_unsent.json');

/** Written when the reason is a new one. */
export function noteUnsent(home: Home, task: string, why: string): void {
  const before = readUnsent(home);
  if (before?.task === task && before.why === why) return;
  const since = before?.task === task ? before.since : new Date().toISOString();
  replaceFile(noteFile(home), `${JSON.stringify({ task, why, since } satisfies UnsentTask)}\n`);
}

export const forgetUnsent = (home: Home): void => rmSync(noteFile(home), { force: true });

/** Null when nothing is held up, as far as anybody knows. */
export function readUnsent(home: Home): UnsentTask | null {
  try {
    return JSON.parse(readFileSync(noteFile(home), 'utf8')) as UnsentTask;
  } catch {
    return null;
  }
}

export const describeUnsent = ({ task, why, since }: UnsentTask): string =>
  `${task} stays in the inbox since ${since}: ${why}`;
