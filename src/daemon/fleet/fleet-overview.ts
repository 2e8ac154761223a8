/** Reads the fleet as the worker of this home saw it last, without a connection. `oka status` asks for it, so it loads little. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FleetOverview } from '../../schema/fleet.ts';
import type { Home } from '../../schema/home.ts';

export const overviewFile = ({ oka }: Home): string => join(oka, 'state', 'fleet.json');

/** Null where there is none, and where it cannot be read: the worker writes it again within seconds. */
export function readOverview(home: Home): FleetOverview | null {
  try {
    return JSON.parse(readFileSync(overviewFile(home), 'utf8')) as FleetOverview;
  } catch {
    return null;
  }
}
