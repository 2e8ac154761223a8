/** Removes request files whose writer was killed; the request was written again under another name. */
import { join } from 'node:path';
import { namesIn, removeOld } from '../../core/ledger/old-files.ts';
import type { Tidying } from '../../core/schema/room.ts';

const DAY_MS = 86_400_000;

export function sweepUnfinished({ home, isDry }: Tidying): void {
  const folder = join(home.oka, 'intake');
  for (const name of isDry ? [] : namesIn(folder).filter((each) => /\.json\.\d+\.tmp$/.test(each)))
    removeOld(join(folder, name), Date.now() - DAY_MS, false);
}
