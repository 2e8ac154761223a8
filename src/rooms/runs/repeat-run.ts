/**
 * Owns: doing once more what a run did: its task goes into the inbox again, or its graph runs again with the same input.
 *
 * A run is done again once: the name of what is asked for follows from its own, so that whoever asks a second time, such as
 * after a command that was killed, finds it there. What was done again can be done again itself.
 */
import { hash } from 'node:crypto';
import { join } from 'node:path';
import { claimedFolder, newFolder } from '../../kit/inbox/inbox-folders.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { firstEventOf } from '../../kit/views/run-rows.ts';
import { withViews } from '../../kit/house/open-views.ts';
import { repeatTask } from './repeat-task.ts';
import { eventsOfRun } from '../../kit/runs/replay-runs.ts';

/** `request` submits an intake and resolves to the reply. Undefined where the worker has not begun yet. */
export async function repeatRun(
  home: Home,
  run: string,
  request: (intake: Intake) => Promise<unknown>,
): Promise<unknown> {
  const asked = await withViews(home, (rows) => findRepeat(home, rows, run));
  if (asked !== null)
    throw new OkaError('refused', repeatedAs(asked), { fix: `Do that one again: oka runs again ${asked}` });
  const events = await eventsOfRun(home, run);
  const id = nameOfRepeat(run);
  if (events.some(({ type }) => type === 'task.received')) {
    await repeatTask(home, run, events, id);
    return undefined;
  }
  return request({ kind: 'rerun', id, link: { kind: 'replay', run } });
}

/** What a run was asked for again as, whether it has begun or is still in the inbox; null when nobody has asked. */
export function findRepeat({ workspace }: Home, rows: Rows, run: string): string | null {
  const id = nameOfRepeat(run);
  const folders = [newFolder, claimedFolder].map((folder) => join(folder(join(workspace, 'inbox')), id));
  return firstEventOf(rows, id) !== undefined || folders.some((each) => lstatIfPresent(each) !== undefined) ? id : null;
}

export const repeatedAs = (id: string): string => `it was asked for already, as ${id}`;

const LONGEST_BASE = 100;

/** Names do not grow when a run is done again and again. */
const nameOfRepeat = (run: string): string =>
  `${run.replace(/-again-[0-9a-f]{8}$/, '').slice(0, LONGEST_BASE)}-again-${hash('sha256', run).slice(0, 8)}`;
