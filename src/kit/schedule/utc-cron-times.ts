/** Owns: the due times of a cron expression in UTC, for the jobs of maintenance; no time zone and no clock change matters. */
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { DAY_MS, type DayPlan, MINUTE_MS, parseCron } from './cron-expression.ts';

export type Times = {
  /** Every due time after the first moment and not after the second, in order. */
  between(after: number, to: number): Generator<number>;
};

/** `setting` is the place of the expression in config.json, for error messages. */
export function timesOf(expression: string, setting: string): Times {
  const { minutes, matches } = parseSetting(expression, setting);
  return {
    *between(after, to) {
      for (let day = Math.floor(after / DAY_MS); day * DAY_MS <= to; day += 1) {
        if (!matches(day)) continue;
        for (const minute of minutes) {
          const time = day * DAY_MS + minute * MINUTE_MS;
          if (time > after && time <= to) yield time;
        }
      }
    },
  };
}

function parseSetting(expression: string, setting: string): DayPlan {
  try {
    return parseCron(expression);
  } catch (error) {
    throw new OkaError('invalid-file', `config.json: ${setting}: "${expression}" is not a time: ${messageOf(error)}`, {
      fix: 'Write five fields, minute hour day month weekday, such as "*/10 * * * *" or "30 3 * * *" (UTC).',
      cause: error,
    });
  }
}
