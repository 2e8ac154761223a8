/**
 * Owns: what a cron expression says, in UTC. The only door to node-cron, which reads expressions and knows the days;
 * times of day follow from them by counting, so that neither the local zone nor a clock that jumps matters.
 */
import { createTask, validateDetailed } from 'node-cron';
import { messageOf, OkaError } from '../schema/errors.ts';

export type Times = {
  /** Every time that lies after one moment and not after the other, in order. */
  between(after: number, to: number): Generator<number>;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `setting` is where the expression stands, for whoever has to mend it. */
export function timesOf(expression: string, setting: string): Times {
  const { minutes, matches } = understood(expression, setting);
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

function understood(expression: string, setting: string): Understood {
  const { valid, fields, errors } = validateDetailed(expression);
  const wrong = (why: string): OkaError =>
    new OkaError('invalid-file', `config.json: ${setting}: "${expression}" is not a time: ${why}`, {
      fix: 'Write five fields, minute hour day month weekday, such as "*/10 * * * *" or "30 3 * * *" (UTC).',
    });
  if (!valid || fields === undefined) throw wrong(errors.map(({ message }) => message).join('; '));
  if (fields.second.length !== 1 || fields.second[0] !== 0)
    throw wrong('it has seconds; a minute is the shortest step');
  const minutes = fields.hour.flatMap((hour) => fields.minute.map((minute) => hour * 60 + minute));
  const sorted = [...new Set(minutes)].toSorted((a, b) => a - b);
  return { minutes: sorted, matches: dayMatcher(expression, (sorted[0] ?? 0) * MINUTE, wrong) };
}

/** Whether a day is meant: asked of node-cron at the first time of that day. The task is never started. */
function dayMatcher(expression: string, first: number, wrong: (why: string) => OkaError): Understood['matches'] {
  try {
    const task = createTask(expression, () => undefined, { timezone: 'UTC' });
    return (day) => task.match(new Date(day + first));
  } catch (error) {
    throw wrong(messageOf(error));
  }
}
