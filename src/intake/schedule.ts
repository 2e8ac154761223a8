/**
 * Owns: the due times of a cron expression, in UTC. The only door to node-cron, which parses expressions and matches days;
 * times of day are computed here, so that neither the local time zone nor a clock change matters.
 */
import { createTask, validateDetailed } from 'node-cron';
import { messageOf, OkaError } from '../schema/errors.ts';

export type Times = {
  /** Every due time after the first moment and not after the second, in order. */
  between(after: number, to: number): Generator<number>;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `setting` is the place of the expression in config.json, for error messages. */
export function timesOf(expression: string, setting: string): Times {
  const { minutes, matches } = parseExpression(expression, setting);
  return {
    *between(after, to) {
      for (let day = Math.floor(after / DAY) * DAY; day <= to; day += DAY) {
        if (!matches(day)) continue;
        for (const minute of minutes) {
          const time = day + minute * MINUTE;
          if (time > after && time <= to) yield time;
        }
      }
    },
  };
}

type Understood = { minutes: readonly number[]; matches: (day: number) => boolean };

function parseExpression(expression: string, setting: string): Understood {
  const { valid, fields, errors } = validateDetailed(expression);
  const scheduleError = (why: string): OkaError =>
    new OkaError('invalid-file', `config.json: ${setting}: "${expression}" is not a time: ${why}`, {
      fix: 'Write five fields, minute hour day month weekday, such as "*/10 * * * *" or "30 3 * * *" (UTC).',
    });
  if (!valid || fields === undefined) throw scheduleError(errors.map(({ message }) => message).join('; '));
  if (fields.second.length !== 1 || fields.second[0] !== 0)
    throw scheduleError('it has seconds; a minute is the shortest step');
  const minutes = fields.hour.flatMap((hour) => fields.minute.map((minute) => hour * 60 + minute));
  const sorted = [...new Set(minutes)].toSorted((a, b) => a - b);
  return { minutes: sorted, matches: dayMatcher(expression, (sorted[0] ?? 0) * MINUTE, scheduleError) };
}

/** Whether a day matches: node-cron is asked about the first time of that day. Its task is never started. */
function dayMatcher(expression: string, first: number, wrong: (why: string) => OkaError): Understood['matches'] {
  try {
    const task = createTask(expression, () => undefined, { timezone: 'UTC' });
    return (day) => task.match(new Date(day + first));
  } catch (error) {
    throw wrong(messageOf(error));
  }
}
