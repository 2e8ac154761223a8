/** How often something is due, as a person says it: "every weekday at 7:30 and 17:00". Pure. */
import { parseScheduleRule, type ScheduleRule } from './schedule-rule.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const GROUPS: Readonly<Record<string, string>> = { '1,2,3,4,5': 'weekday', '0,6': 'Saturday and Sunday' };

/** Null is once. A cron expression stays as it was written. */
export function ruleInWords(every: string | null): string {
  return every === null ? 'once' : wordsOf(parseScheduleRule(every));
}

function wordsOf(rule: ScheduleRule): string {
  switch (rule.kind) {
    case 'cron':
      return `by the cron line ${rule.expression}`;
    case 'minutes':
      return rule.every % 60 === 0 ? each(rule.every / 60, 'hour') : each(rule.every, 'minute');
    case 'days':
      return `${each(rule.every, 'day')}${timesOf(rule.minutes ?? [])}`;
    case 'weeks': {
      const days = GROUPS[rule.weekdays.join(',')] ?? listed(rule.weekdays.map((day) => DAYS[day] ?? ''));
      const often = rule.every === 1 ? `every ${days}` : `${each(rule.every, 'week')} on ${days}`;
      return `${often}${timesOf(rule.minutes)}`;
    }
  }
}

const each = (count: number, unit: string): string => (count === 1 ? `every ${unit}` : `every ${count} ${unit}s`);

const timesOf = (minutes: readonly number[]): string =>
  minutes.length === 0
    ? ''
    : ` at ${listed(minutes.map((at) => `${Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}`))}`;

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
