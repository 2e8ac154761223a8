/** Removes what a killed process has left: request files, which were written again under another name, and tasks that nobody waits for. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { namesIn, removeOld } from '../../core/ledger/old-files.ts';
import type { Tidying } from '../../core/schema/room.ts';

const DAY_MS = 86_400_000;

/** In .oka/state: how the name of a folder begins in which a task lies for whoever has the pen (rooms/inbox/run-task.ts). */
export const TASK_FOLDER = 'run-';

export function sweepUnfinished({ home, isDry }: Tidying): void {
  if (isDry) return;
  const before = Date.now() - DAY_MS;
  const [intake, state] = [join(home.oka, 'intake'), join(home.oka, 'state')];
  for (const name of namesIn(intake).filter((each) => /\.json\.\d+\.tmp$/.test(each)))
    removeOld(join(intake, name), before, false);
  for (const name of namesIn(state).filter((each) => each.startsWith(TASK_FOLDER)))
    if ((lstatIfPresent(join(state, name))?.mtimeMs ?? before) < before)
      rmSync(join(state, name), { recursive: true, force: true });
}
