/**
 * Owns: reading a cron expression: five fields, or a name such as @daily. The only door to node-cron, which says what is
 * valid. Its runner is never started: it is a timer in memory, so a time that passes while no worker runs, or between two
 * of them, would be lost or come twice; a slot here is an event, recorded once, in the zone of its schedule.
 */
import { createTask, validateDetailed } from 'node-cron';
import { messageOf } from '../../core/schema/errors.ts';

/** On which days, and at which minutes of such a day, something is due. Days are counted from 1970-01-01. */
export type DayPlan = {
  matches: (day: number) => boolean;
  /** Minutes after midnight, ascending and unique. */
  minutes: readonly number[];
  /** Whether it follows the clock through the hours, as `*` and `*\/n` in the field of the hour do. */
  isEveryHour: boolean;
};

export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;

/** Throws an error that says what is wrong. */
export function parseCron(expression: string): DayPlan {
  const { valid, fields, errors } = validateDetailed(expression);
  if (!valid || fields === undefined) throw new Error(errors.map(({ message }) => message).join('; '));
  if (fields.second.length !== 1 || fields.second[0] !== 0)
    throw new Error('it has seconds; a minute is the shortest step');
  const minutes = fields.hour.flatMap((hour) => fields.minute.map((minute) => hour * 60 + minute));
  const sorted = [...new Set(minutes)].toSorted((a, b) => a - b);
  const isAsked = [...fields.dayOfMonth, ...fields.dayOfWeek].some((value) => typeof value !== 'number');
  const asked = isAsked || sorted[0] === undefined ? dayMatcher(expression, sorted[0] ?? 0) : null;
  return { minutes: sorted, matches: fieldMatcher(fields, asked), isEveryHour: isHourWild(expression) };
}

const isHourWild = (expression: string): boolean =>
  /^@hourly$/i.test(expression.trim()) || expression.trim().split(/\s+/).at(-4)?.startsWith('*') === true;

type Fields = Record<'month' | 'dayOfMonth' | 'dayOfWeek', readonly (number | string)[]>;

/** A day has to match all three fields. `asked` decides where the last day, the nearest weekday and the like are named. */
function fieldMatcher(fields: Fields, asked: DayPlan['matches'] | null): DayPlan['matches'] {
  const [months, days] = [new Set(fields.month), new Set(fields.dayOfMonth)];
  const weekdays = new Set(fields.dayOfWeek.map((weekday) => (weekday === 7 ? 0 : weekday)));
  return (day) => {
    const date = new Date(day * DAY_MS);
    if (!months.has(date.getUTCMonth() + 1)) return false;
    return asked === null ? days.has(date.getUTCDate()) && weekdays.has(date.getUTCDay()) : asked(day);
  };
}

/** Asks node-cron about the first time of a day, as if it were a day in UTC. */
function dayMatcher(expression: string, firstMinute: number): DayPlan['matches'] {
  try {
    const task = createTask(expression, () => undefined, { timezone: 'UTC' });
    return (day) => task.match(new Date(day * DAY_MS + firstMinute * MINUTE_MS));
  } catch (error) {
    throw new Error(messageOf(error), { cause: error });
  }
}
