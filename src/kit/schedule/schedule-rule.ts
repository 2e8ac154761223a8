/**
 * Owns: reading the line that says how often something is due: a cron expression, or words such as "monday 08:00",
 * "weekdays at 7:30 and 17:00", "every 2 hours", "every 2 days", "every 2 weeks on friday at noon".
 *
 * A number of days, hours or minutes is an interval from an anchor and no cron expression: a time that is missed does not
 * move the later ones.
 */
import { parseCron } from './cron-expression.ts';

export type ScheduleRule =
  | { kind: 'cron'; expression: string }
  /** Minutes that have passed on any clock, whatever the one on the wall shows. */
  | { kind: 'minutes'; every: number }
  /** Minutes of the day; null for the time of day of the anchor. */
  | { kind: 'days'; every: number; minutes: readonly number[] | null }
  /** Sunday is 0. */
  | { kind: 'weeks'; every: number; weekdays: readonly number[]; minutes: readonly number[] };

const RULE_EXAMPLES = '"monday 08:00", "weekdays at 7:30", "every 2 hours", "every 2 days at 9:00" or "0 8 * * 1"';

/** Throws an error that says what is wrong. */
export function parseScheduleRule(text: string): ScheduleRule {
  const given = text.trim();
  if (CRON_LIKE.test(given)) {
    parseCron(given);
    return { kind: 'cron', expression: given };
  }
  return ruleOfWords(readWords(given));
}

/** Fields, the first of which begins as one of minutes does, or a name such as @daily: node-cron says what is wrong. */
const CRON_LIKE = /^(?:[*?\d][\d*/,-]*(?:\s+\S+){3,}|@\S*)$/;

const STARTS = /^(?:every|each|daily|hourly|weekly|(?:sun|mon|tues|wednes|thurs|fri|satur)days|weekdays|workdays)$/i;
/** What is plainly about time, whether or not it can be read. */
const OF_TIME =
  /\b(?:every|each)\s+(?:other\s+)?(?:\d+\s+\w+|morning|noon|afternoon|evening|night|(?:week|work)?day|weekend|week|month|quarter|year|hour|minute|(?:sun|mon|tues|wednes|thurs|fri|satur)day)\b/i;
const LONGEST_PHRASE = 10;

/** The words of a text that say how often, such as "every weekday at 8", or why they cannot be read; null without such. */
export function scheduleWordsIn(text: string): { every: string } | { problem: string } | null {
  const words = text.split(/\s+/);
  for (const [start, first] of words.entries()) {
    if (!STARTS.test(first.replace(/[.,;:!?]+$/, ''))) continue;
    for (let end = Math.min(words.length, start + LONGEST_PHRASE); end > start; end -= 1) {
      const every = words
        .slice(start, end)
        .join(' ')
        .replace(/[.,;:!?]+$/, '');
      if (!FILLERS.has(words[end - 1] ?? '') && problemOf(every) === null) return { every };
    }
  }
  const phrase = OF_TIME.exec(text)?.[0].trim();
  return phrase === undefined ? null : { problem: `"${phrase}" cannot be read as times: ${problemOf(phrase)}` };
}

function problemOf(text: string): string | null {
  try {
    parseScheduleRule(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type Words = { count: number | null; unit: keyof typeof UNITS | null; weekdays: number[]; minutes: number[] };

const UNITS = { minute: 1, hour: 60, day: 1, week: 7 } as const;
const UNIT = /^(minute|min|hour|day|week)s?$/;
const ADVERBS: Readonly<Record<string, keyof typeof UNITS>> = { hourly: 'hour', daily: 'day', weekly: 'week' };
const FILLERS = new Set(['every', 'each', 'on', 'at', 'and', 'the', 'of', "o'clock"]);
const DAY_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const DAY_GROUPS: Readonly<Record<string, readonly number[]>> = {
  weekday: [1, 2, 3, 4, 5],
  workday: [1, 2, 3, 4, 5],
  weekend: [6, 0],
};

function readWords(text: string): Words {
  const words = text
    .toLowerCase()
    .replaceAll(/(\d)\s+(am|pm)\b/g, '$1$2')
    .replaceAll(/\bat\s+(\d{1,2})(?=[\s,]|$)/g, 'at $1:00')
    .split(/[\s,]+/)
    .filter((word) => word !== '' && !FILLERS.has(word));
  const read: Words = { count: null, unit: null, weekdays: [], minutes: [] };
  for (const word of words) readWord(word, read);
  return read;
}

function readWord(word: string, read: Words): void {
  const unit = ADVERBS[word] ?? UNIT.exec(word)?.[1]?.replace(/^min$/, 'minute');
  const days = weekdaysNamed(word);
  const minute = minuteOfDay(word);
  if (unit !== undefined && read.unit === null) read.unit = unit as keyof typeof UNITS;
  else if (days !== null) read.weekdays.push(...days);
  else if (minute !== null) read.minutes.push(minute);
  else if (/^\d{1,5}$|^other$/.test(word) && read.count === null && read.unit === null)
    read.count = word === 'other' ? 2 : Number(word);
  else throw new Error(`"${word}" is not understood here; write a line such as ${RULE_EXAMPLES}`);
}

function weekdaysNamed(word: string): readonly number[] | null {
  const singular = word.length > 4 ? word.replace(/s$/, '') : word;
  const group = DAY_GROUPS[singular];
  if (group !== undefined) return group;
  const index = word.length < 3 ? -1 : DAY_NAMES.findIndex((name) => name.startsWith(word) || name === singular);
  return index === -1 ? null : [index];
}

const CLOCK = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/;

/** Null for a word that is no time; a bare number is none. */
function minuteOfDay(word: string): number | null {
  if (word === 'noon') return 720;
  if (word === 'midnight') return 0;
  const [, hours, minutes, half] = CLOCK.exec(word) ?? [];
  if (hours === undefined || (minutes === undefined && half === undefined)) return null;
  const [hour, minute] = [Number(hours), Number(minutes ?? '0')];
  const isValid = minute < 60 && (half === undefined ? hour < 24 : hour >= 1 && hour <= 12);
  if (!isValid) throw new Error(`"${word}" is not a time of day`);
  return (half === undefined ? hour : (hour % 12) + (half === 'pm' ? 12 : 0)) * 60 + minute;
}

function ruleOfWords({ count, unit, weekdays, minutes: times }: Words): ScheduleRule {
  const every = count ?? 1;
  const minutes = [...new Set(times)].toSorted((a, b) => a - b);
  if (every < 1 || every > 10_000) throw new Error(`${every} is not a number of times that makes sense`);
  if (unit === 'minute' || unit === 'hour') {
    if (weekdays.length > 0 || minutes.length > 0)
      throw new Error(`an interval of ${unit}s has neither days nor times of day; a cron expression can have both`);
    return { kind: 'minutes', every: every * UNITS[unit] };
  }
  if (weekdays.length > 0) {
    if (unit === 'day' || (unit === null && count !== null)) throw new Error('it names weekdays and a number of days');
    if (minutes.length === 0) throw new Error('it does not say at what time; write "monday 08:00"');
    return { kind: 'weeks', every, weekdays: [...new Set(weekdays)].toSorted((a, b) => a - b), minutes };
  }
  if (unit === null && (count !== null || minutes.length === 0))
    throw new Error(`it does not say how often; write a line such as ${RULE_EXAMPLES}`);
  const days = every * (unit === 'week' ? UNITS.week : 1);
  return { kind: 'days', every: days, minutes: minutes.length === 0 ? null : minutes };
}
