/** Owns: the pages next to files in workspace/schedules that say why they cannot be read. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { reasonName } from '../../kit/schedule/schedule-folder.ts';
import type { ScheduleChange } from '../../kit/schedule/sync-schedules.ts';
import { replaceFile } from '../../core/ledger/disk.ts';

export function writeReasons(folder: string, changes: readonly ScheduleChange[]): void {
  for (const { change, name, reason } of changes) {
    if (name === undefined) continue;
    const page = join(folder, reasonName(name));
    if (change === 'refused') replaceFile(page, reasonPage(name, reason));
    else if (existsSync(page)) rmSync(page, { force: true });
  }
}

const reasonPage = (name: string, reason: string): string => `# ${name} does not run

${reason}

Correct the file; this page goes away, and the schedule runs at its next time.
`;
