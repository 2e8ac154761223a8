/**
 * A simulated month: what is learned from it, what must not be, and what that saves. OKA_MONTH_SEEDS says how many
 * months; OKA_MONTH_DAYS, OKA_MONTH_TASKS (a day) and OKA_MONTH_KINDS (names, with commas) make them smaller.
 */
import type { Figure } from './figure.ts';
import { live } from './month/month.ts';
import { type Outcome, outcomeOf } from './month/outcome.ts';

const DAYS = 30;
const TASKS_A_DAY = 100;

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  const seeds = Number(process.env['OKA_MONTH_SEEDS'] ?? 1);
  const days = Number(process.env['OKA_MONTH_DAYS'] ?? DAYS);
  const tasksADay = Number(process.env['OKA_MONTH_TASKS'] ?? TASKS_A_DAY);
  const kinds = process.env['OKA_MONTH_KINDS']?.split(',');
  const outcomes: Outcome[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    const month = await live({
      seed,
      days,
      tasksADay,
      ...(kinds === undefined ? {} : { kinds }),
      note: (text) => note(`seed ${seed}, ${text}`),
    });
    outcomes.push(outcomeOf(month, days));
    await month.story[Symbol.asyncDispose]();
    note(`seed ${seed}: ${JSON.stringify(outcomes.at(-1))}`);
  }
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((all, each) => all + of(each), 0);
  const candidates = Math.max(
    1,
    sum((each) => each.candidates),
  );
  return [
    {
      name: 'month_promoted',
      value:
        sum((each) => each.promoted.filter((kind) => each.regular.includes(kind)).length) /
        Math.max(
          1,
          sum((each) => each.regular.length),
        ),
      unit: 'share',
      bar: { least: 1 },
      about: 'kinds of tasks with enough clean runs that have a promoted procedure in the end',
    },
    {
      name: 'month_wrongly',
      value: sum((each) => each.wrongly.length) / candidates,
      unit: 'share',
      bar: { most: 0.05 },
      about: 'candidates that are promoted in the end and should not be',
    },
    {
      name: 'month_free',
      value: sum((each) => each.free) / Math.max(1, outcomes.length),
      unit: 'share',
      bar: { least: 0.6 },
      about: 'tasks of the last days done without a model; 0 on the first day',
    },
  ];
}
