/** Owns: the note which tasks of this home the fleet does not take, and why, for faces. The tasks themselves are in the inbox. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayBeClaimed } from '../inbox/inbox-folders.ts';
import { replaceFile } from '../../core/ledger/disk.ts';
import type { Home } from '../../core/schema/home.ts';
import type { UnsentTask } from './fleet-overview.ts';

/** A person needs no more of them to see what is wrong. */
const MOST_NOTED = 20;
const noteFile = ({ oka }: Home): string => join(oka, 'state', 'fleet_unsent.json');

/** Written when the reason is a new one. */
export function noteUnsent(home: Home, task: string, why: string): void {
  const noted = readUnsent(home);
  const before = noted.find((each) => each.task === task);
  if (before?.why === why || (before === undefined && noted.length >= MOST_NOTED)) return;
  const note = { task, why, since: before?.since ?? new Date().toISOString() };
  write(home, before === undefined ? [...noted, note] : noted.map((each) => (each === before ? note : each)));
}

export function forgetUnsent(home: Home, task: string): void {
  const noted = readUnsent(home);
  if (noted.some((each) => each.task === task))
    write(
      home,
      noted.filter((each) => each.task !== task),
    );
}

const write = (home: Home, noted: readonly UnsentTask[]): void =>
  replaceFile(noteFile(home), `${JSON.stringify(noted)}\n`);

/** Empty when nothing is held up, as far as anybody knows. A task that left the inbox in another way is not. */
export function readUnsent(home: Home): UnsentTask[] {
  try {
    const noted = JSON.parse(readFileSync(noteFile(home), 'utf8')) as UnsentTask[];
    return noted.filter(({ task }) => mayBeClaimed(join(home.workspace, 'inbox'), task));
  } catch {
    return [];
  }
}
