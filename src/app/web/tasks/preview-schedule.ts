/** Owns: what a schedule means before it is saved: the next three times, or what is wrong with an example. */
import { listNextTimes, readSchedule, ScheduleFieldError } from '../../../kit/schedule/schedule-spec.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { ScheduleFields } from '../../../core/schema/schedule.ts';

type SchedulePreview = { every: string | null; timezone: string; next: string[] };

const SHOWN = 3;
const FIX = 'Write it such as: every Monday 08:00, daily at 7, every 2 hours, or 0 8 * * 1.';

export function previewSchedule(fields: ScheduleFields, now: number): SchedulePreview {
  try {
    const spec = readSchedule(fields, now);
    const next = listNextTimes(spec, now, SHOWN);
    if (next.length === 0) throw new OkaError('usage', 'none of its times is still to come', { fix: FIX });
    return { every: spec.every, timezone: spec.timezone, next };
  } catch (error) {
    if (!(error instanceof ScheduleFieldError)) throw error;
    throw new OkaError('usage', error.message, { fix: FIX });
  }
}
