/** Reads the fleet as the worker of this home saw it last, without a connection. `oka status` asks for it, so it loads little. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FleetOverview } from '../../core/schema/fleet.ts';
import type { Home } from '../../core/schema/home.ts';
import { fleetEnvironment } from '../settings.ts';

export const overviewFile = ({ oka }: Home): string => join(oka, 'state', 'fleet.json');

/** Null where there is none, and where it cannot be read: the worker writes it again within seconds. */
export function readOverview(home: Home): FleetOverview | null {
  try {
    return JSON.parse(readFileSync(overviewFile(home), 'utf8')) as FleetOverview;
  } catch {
    return null;
  }
}

const RECENT_MS = 3_600_000;

/** Whether this home is in a fleet: this process was told so, or a worker of the last hour was. */
export function hasFleet(home: Home): boolean {
  if (fleetEnvironment() !== null) return true;
  const overview = readOverview(home);
  return overview !== null && Date.now() - Date.parse(overview.at) < RECENT_MS;
}

/** A task of this home that the fleet does not take, and why (unsent-task.ts). */
export type UnsentTask = { task: string; why: string; since: string };

export const describeUnsent = ({ task, why, since }: UnsentTask): string =>
  `${task} stays in the inbox since ${since}: ${why}`;
