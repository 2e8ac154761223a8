/**
 * Owns: what a sentence in the box of the page Now would become, said before it is sent: a task, or a task that comes again
 * when the sentence says when. The times are read by the parser of schedules, and nothing else counts as one. Pure.
 */
import { readSchedule, ScheduleFieldError, timesOfSpec } from '../../../kit/schedule/schedule-spec.ts';
import { nextTimes } from '../../../kit/schedule/schedule-times.ts';

/** `text` is the sentence without its times; `next`: the next three moments. */
type Understood = { kind: 'task'; text: string } | { kind: 'schedule'; text: string; every: string; next: string[] };

const SHOWN = 3;
const MOST_WORDS = 10;
const DAY = '(?:mon|tues|wednes|thurs|fri|satur|sun|week|work)days?';
/** "daily report" is a report; "daily at 7", and "daily" at either end, are times. */
const BEGINS = new RegExp(
  `\\b(?:every|each)\\s|\\bon\\s+${DAY}\\b|\\b(?:daily|hourly|weekly)(?=\\s+at\\b|\\s*[.,!]?$)|^(?:daily|hourly|weekly)\\b(?=\\s*[,:]|\\s+at\\b)`,
  'gi',
);
/** Words that lead to something, so that times do not end with one. */
const LEADING = /^(?:every|each|on|at|and|the|of)$/i;

export function understandSentence(given: string, timezone: string | undefined, now: number): Understood {
  const text = given.trim();
  const isWritten = text.includes('\n') || text.startsWith('---') || text.startsWith('#');
  for (const { index } of isWritten ? [] : text.matchAll(BEGINS)) {
    const found = timesAt(text, index, timezone, now);
    if (found !== null) return found;
  }
  return { kind: 'task', text };
}

/** The longest beginning of what follows that is a time. */
function timesAt(text: string, index: number, timezone: string | undefined, now: number): Understood | null {
  const words = [...text.slice(index).matchAll(/\S+/g)].slice(0, MOST_WORDS);
  for (const word of words.toReversed()) {
    if (LEADING.test(word[0])) continue;
    const end = index + word.index + word[0].length;
    const every = text.slice(index, end).replace(/[.,;:!]+$/, '');
    const rest = tidy(`${text.slice(0, index).trimEnd()} ${text.slice(end).trimStart()}`);
    const next = rest === '' ? null : timesOf(every, timezone, now);
    if (next !== null) return { kind: 'schedule', text: rest, every, next };
  }
  return null;
}

function timesOf(every: string, timezone: string | undefined, now: number): string[] | null {
  try {
    const spec = readSchedule({ every, ...(timezone === undefined ? {} : { timezone }) }, now);
    const next = nextTimes(timesOfSpec(spec), now, SHOWN).map((moment) => new Date(moment).toISOString());
    return next.length === 0 ? null : next;
  } catch (error) {
    if (error instanceof ScheduleFieldError) return null;
    throw error;
  }
}

/** What is left begins as a sentence does. */
function tidy(text: string): string {
  const bare = text
    .trim()
    .replace(/^[\s,;:–-]+/, '')
    .replace(/[\s,;:–-]+$/, '')
    .replaceAll(/\s+([.,!?])/g, '$1');
  return bare.charAt(0).toUpperCase() + bare.slice(1);
}
