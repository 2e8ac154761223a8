/**
 * Owns: whether a person is typing in a conversation: the age of an empty file, which whoever offers an input line
 * touches at each key and removes when the line is sent or left. It is for the moment only, so the ledger has nothing
 * of it.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent, makeFolder } from '../../core/ledger/disk.ts';
import { ID_SHAPE } from '../../core/schema/id-shape.ts';

/** How long a line that was left holds replies back. */
export const TYPING_MS = 30_000;

/** Where faces on this machine note it, and where the dashboard does, which may write nowhere else in a container. */
export const typingFolders = (oka: string): readonly [string, string] => [
  join(oka, 'state', 'typing'),
  join(oka, 'web', 'typing'),
];

/** Notes that somebody types in a conversation, given by its id. */
export function noteTyping(folder: string, conversation: string): void {
  if (!ID_SHAPE.test(conversation)) return;
  makeFolder(folder, 0o700);
  writeFileSync(join(folder, conversation), '', { mode: 0o600 });
}

export function endTyping(folder: string, conversation: string): void {
  if (ID_SHAPE.test(conversation)) rmSync(join(folder, conversation), { force: true });
}

export function isTyping(oka: string, conversation: string, now: number): boolean {
  return typingFolders(oka).some((folder) => {
    const since = lstatIfPresent(join(folder, conversation))?.mtimeMs;
    return since !== undefined && Math.abs(now - since) < TYPING_MS;
  });
}
