/** The queries of the page Schedules: what runs when, what happened at the last times, and what a backfill would make. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ruleInWords } from '../../../kit/schedule/rule-words.ts';
import { readSchedules, type ScheduleRow, toScheduleRow } from '../../../kit/schedule/read-schedules.ts';
import { timesOfSpec } from '../../../kit/schedule/schedule-spec.ts';
import type { ScheduleState } from '../../../kit/schedule/schedule-state.ts';
import { nextTimes } from '../../../kit/schedule/schedule-times.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { lstatIfPresent } from '../../../core/ledger/disk.ts';
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
    const titles = new Map(rows.map(({ schedule, title }) => [schedule, title]));
    const { slots, came } = await views((all) => ({
      slots: lastSlots(all, new Set(titles.keys())),
      came: timesThatCame(all, titles, now),
    }));
    const coming = Object.values(byId).flatMap((state) => timesToCome(state, now));
    return {
      clock: isClockOn,
      schedules: rows.toSorted(byNextTime).map((row) => ({
        ...row,
        says: ruleInWords(row.every),
        slots: slots.get(row.schedule) ?? [],
        text: row.kind === 'task' ? readText(join(home.workspace, 'schedules', row.file)) : null,
      })),
      week: [...came, ...coming].toSorted((a, b) => a.at.localeCompare(b.at)),
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

type Moment = z.infer<typeof SchedulesAnswer>['week'][number];

const DAY_MS = 86_400_000;
/** More times of a schedule are not listed: they are due every few minutes. */
const MOST_TIMES = 400;
const MOST_TEXT = 200_000;

function timesThatCame(rows: Rows, titles: ReadonlyMap<string, string>, now: number): Moment[] {
  const from = new Date(now - 4 * DAY_MS).toISOString();
  const found: Moment[] = [];
  for (const { job, slot, how, run } of slotsFromEnd(rows, MOST_READ)) {
    if (slot < from) break;
    const [, schedule = ''] = /^(?:schedule|trigger|backfill)\/(.+)$/.exec(job) ?? [];
    const title = titles.get(schedule);
    if (title === undefined) continue;
    const status = run === undefined || run === null ? null : (storedRun(rows, run)?.status ?? 'pending');
    found.push({ schedule, title, at: slot, state: status ?? (how === 'missed' ? how : 'skipped'), run: run ?? null });
  }
  return found;
}

function timesToCome({ id, title, spec, isOn, since }: ScheduleState, now: number): Moment[] {
  if (!isOn) return [];
  return nextTimes(timesOfSpec(spec), Math.max(since, now), MOST_TIMES)
    .filter((moment) => moment < now + 4 * DAY_MS)
    .map((moment) => ({ schedule: id, title, at: new Date(moment).toISOString(), state: 'due', run: null }));
}

/** Null for a folder, and for what is too long to be changed in a field. */
function readText(file: string): string | null {
  const stat = lstatIfPresent(file);
  const isText = stat?.isFile() === true && stat.size <= MOST_TEXT && /\.(?:md|markdown|txt)$/i.test(file);
  return isText ? readFileSync(file, 'utf8') : null;
}

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
