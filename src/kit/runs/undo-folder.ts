/** Where the states of the desk are stored. */
import { join } from 'node:path';
import type { MaintenanceConfig } from '../../core/schema/maintenance.ts';
import type { PruneLimits } from '../desk/prune-snapshots.ts';
import type { Home } from '../../core/schema/home.ts';

export const undoFolder = (home: Home): string => join(home.oka, 'undo');

/** How much is stored there, and for how long. */
export function undoLimits({ undo_days, undo_mb }: Pick<MaintenanceConfig, 'undo_days' | 'undo_mb'>): PruneLimits {
  return {
    keepMs: undo_days === null ? Number.POSITIVE_INFINITY : undo_days * 86_400_000,
    mostBytes: undo_mb === null ? Number.POSITIVE_INFINITY : undo_mb * 1024 * 1024,
  };
}
