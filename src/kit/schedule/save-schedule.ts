/** Owns: a schedule that a command saves: the file, and that its times count from now on. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../core/ledger/disk.ts';
import { penHolder } from '../../core/ledger/pen.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ScheduleFields } from '../../core/schema/schedule.ts';
import type { Call } from '../cli/command-module.ts';
import { withHost } from '../cli/host-here.ts';
import { ports } from '../ports/room-ports.ts';
import { listNextTimes, readSchedule, ScheduleFieldError } from './schedule-spec.ts';

/** The next five times of what is about to be saved under this name. */
export function previewSchedule(fields: ScheduleFields, name: string): { timezone: string; next: string[] } {
  try {
    const now = Date.now();
    const spec = readSchedule(fields, now);
    const next = listNextTimes(spec, now);
    if (next.length > 0) return { timezone: spec.timezone, next };
    throw new OkaError('usage', `none of the times of ${name} is still to come`);
  } catch (error) {
    if (error instanceof ScheduleFieldError) throw new OkaError('usage', `${error.field}: ${error.message}`);
    throw error;
  }
}

export const scheduleExists = (home: Home, name: string): boolean =>
  existsSync(join(home.workspace, 'schedules', name));

/** Never over a file that is there. */
export function writeSchedule(home: Home, name: string, text: string): void {
  if (scheduleExists(home, name))
    throw new OkaError('refused', `workspace/schedules/${name} exists already`, {
      fix: 'Edit it there, or choose another name with --id.',
    });
  mkdirSync(join(home.workspace, 'schedules'), { recursive: true });
  replaceFile(join(home.workspace, 'schedules', name), text, { durable: true });
}

/**
 * Where no worker is running, the times that were shown count from now on, even if nobody looks at the clock until the first
 * of them has passed.
 */
export async function recordSchedules({ home, signal, notify, rooms }: Omit<Call, 'options'>): Promise<void> {
  if (penHolder(home.ledgers.run) !== null) return;
  const read = (): Promise<void> =>
    withHost(home, signal, (host) => host.valuesOf({ schedules: ports.schedules }).schedules.readFiles(), {
      rooms,
      warn: notify,
    });
  await read().catch((error: unknown) => {
    if (!(error instanceof OkaError) || error.code !== 'pen-held') throw error; // a worker has started, and reads it
  });
}
