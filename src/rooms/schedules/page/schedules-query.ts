/** The queries of the page Schedules: what runs when, what happened at the last times, and what a backfill would make. */
import { z } from 'zod';
import { readSchedules, type ScheduleRow, toScheduleRow } from '../../../kit/schedule/read-schedules.ts';
import { backfillSpan, backfillTimes, findSchedule } from '../schedule-requests.ts';
import { Id } from '../../../core/schema/names.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { slotsFromEnd } from '../../../kit/views/slot-view.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { BackfillAnswer, SchedulesAnswer, type SlotRow } from './schedule-answers.ts';

/** How many of the last times are shown of each schedule, and how many of all are read to find them. */
const SHOWN_SLOTS = 5;
const MOST_READ = 2000;

export const schedulesQuery = defineQuery({
  params: z.strictObject({}),
  answer: SchedulesAnswer,
  read: async ({ home, views }) => {
    const now = Date.now();
    const { isClockOn, byId, refused } = await readSchedules(home, now);
    const rows = Object.values(byId).map((state) => toScheduleRow(state, now));
    const slots = await views((all) => lastSlots(all, new Set(rows.map(({ schedule }) => schedule))));
    return {
      clock: isClockOn,
      schedules: rows.toSorted(byNextTime).map((row) => ({ ...row, slots: slots.get(row.schedule) ?? [] })),
      refused: Object.entries(refused).map(([file, { reason }]) => ({ file, reason })),
    };
  },
});

export const backfillQuery = defineQuery({
  params: z.strictObject({
    schedule: Id.describe('Which schedule.'),
    from: z.string().max(40).describe('The first day or moment, such as 2026-11-01.'),
    to: z.string().max(40).describe('The last day or moment.'),
  }),
  answer: BackfillAnswer,
  read: async ({ home, params }) => {
    const state = await readSchedules(home, Date.now());
    const { id, spec } = findSchedule({ state: () => state }, params.schedule);
    const span = backfillSpan({ spec }, params);
    const times = backfillTimes({ spec }, span, Date.now()).map((moment) => new Date(moment).toISOString());
    return { schedule: id, ...span, count: times.length, first: times[0] ?? null, last: times.at(-1) ?? null };
  },
});

const byNextTime = (a: ScheduleRow, b: ScheduleRow): number =>
  (a.next[0] ?? '~').localeCompare(b.next[0] ?? '~') || a.schedule.localeCompare(b.schedule);

function lastSlots(rows: Rows, schedules: ReadonlySet<string>): Map<string, z.infer<typeof SlotRow>[]> {
  const found = new Map<string, z.infer<typeof SlotRow>[]>();
  for (const { job, slot, how, reason, run } of slotsFromEnd(rows, MOST_READ)) {
    const [, source, id = ''] = /^(schedule|trigger|backfill)\/(.+)$/.exec(job) ?? [];
    const list = found.get(id) ?? [];
    if (source === undefined || !schedules.has(id) || list.length >= SHOWN_SLOTS) continue;
    found.set(id, [...list, { slot, how, reason, run: run ?? null, source: source as 'schedule' }]);
  }
  return found;
}
