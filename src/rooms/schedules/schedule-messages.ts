/** What the worker logs about schedules. */
import { listNextTimes } from '../../kit/schedule/schedule-spec.ts';
import type { SlotCame } from '../../kit/schedule/slots.ts';
import type { ScheduleChange } from '../../kit/schedule/sync-schedules.ts';

const SHOWN = 5;

export function describeChange({ schedule, change, reason, name, spec }: ScheduleChange): string {
  const subject = schedule ?? 'the clock of schedules';
  if (change === 'refused') return `not a schedule: ${name ?? subject}: ${reason.split('\n', 1)[0] ?? ''}`;
  if (spec === undefined) return `schedule ${subject}: ${change}, ${reason}`;
  const next = listNextTimes(spec, Date.now(), 1)[0];
  return `schedule ${subject}: ${change}; ${next === undefined ? 'no further time' : `next: ${next} (${spec.timezone})`}`;
}

/** Times that did not just run are logged, too; of very many the last few and their number. */
export function describeSlots(slots: readonly SlotCame[]): string[] {
  const notable = slots.filter(({ how }) => how !== 'ran');
  const more = notable.length - SHOWN;
  const lines = notable.slice(-SHOWN).map(({ job, slot, how, reason }) => `${job}, ${slot}: ${word(how)}; ${reason}`);
  return more > 0
    ? [`${more} more times of schedules were missed or skipped: oka log --type slot.came`, ...lines]
    : lines;
}

const word = (how: SlotCame['how']): string => (how === 'caught_up' ? 'missed, run now' : how);
