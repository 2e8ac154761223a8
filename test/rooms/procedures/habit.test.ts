/**
 * Both errors are simulated with the rules of promotion-gate.ts (eleven kinds of families of 60 tasks, some with a
 * procedure that is silently wrong in up to 40 % of its runs; the critic sees 70 % of wrong results, and people half
 * of what is delivered, three tasks later). With 300 families of each kind, on seeds that nothing was tuned on, one
 * that goes well is promoted after 7 to 8 tasks at the median. What is counted is wrong results that were delivered as
 * done, in excess of those of planning alone, among all tasks: 0.1 of a hundred over all kinds, and within a kind at
 * most 0.8 (silently wrong in 2, 5, 10, 20 and 40 % of runs: 0.1, 0.7, 0.8, 0.7, 0.7; before the critic looked at a
 * tenth of proven uses 0.2, 0.8, 0.9, 0.8, 0.7). Nothing that shows in files is simulated: where what is read or written is
 * not like before, input-shapes.ts and result-traits.ts notice (test/story/changed-world.test.ts). The price: a critic that rejects one good result in a hundred
 * takes 0.12 demotions and 7 of a hundred tasks by habit from a family that goes well, if a model that is asked again
 * plans half of these in the same way (0.18 and 12 to 15 if none). OKA_FIGURES=1 OKA_TEST_THOROUGH=1 OKA_SEED=9000000
 * npx vitest run test/rooms/procedures/habit.test.ts prints the table. npm run -s bench -- month lives a month with
 * the real worker and maintenance, and a planner that is not always right. All ten kinds that a procedure can do have
 * one in the end, no other kind has, and 69 of a hundred tasks of the last six days are done without a model (71 is
 * the most: a fifth of the tasks are of other kinds, and a tenth of the rest runs without its procedure). With a seed
 * and kinds that nothing was tuned on (24 tasks a day) it is four of four, none, and 65.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Doer, type Lived, liveFamily, type World } from '../../support/habits.ts';
import { isThorough } from '../../support/thorough.ts';

const TASKS = 60;
const FAMILIES = isThorough ? 300 : 12;
const FIRST_SEED = Number(process.env['OKA_SEED'] ?? 1);

const planner: Doer = { caught: 0, wrong: 0, tokens: 1800 };
const usual: Doer = { caught: 0.02, wrong: 0.01, tokens: 1800 };
const habit: Doer = { caught: 0, wrong: 0, tokens: 0 };

/** Kinds of families, and how many of a hundred are like this. */
const KINDS: Record<string, World & { share: number }> = {
  clean: { share: 30, planner, procedure: habit },
  'clean, and the critic rejects 1 %': { share: 10, planner, procedure: habit, unfair: 0.01 },
  'clean, with a step that a model does': { share: 10, planner, procedure: { ...habit, tokens: 900 } },
  'clean, and the planner is not': { share: 20, planner: { ...planner, caught: 0.1, wrong: 0.01 }, procedure: habit },
  'fails its checks now and then': { share: 9, planner: usual, procedure: { ...habit, caught: 0.1 } },
  'fails its checks often': { share: 6, planner: usual, procedure: { ...habit, caught: 0.4 } },
  'wrong in 2 %': { share: 3, planner: usual, procedure: { ...habit, wrong: 0.02 } },
  'wrong in 5 %': { share: 3, planner: usual, procedure: { ...habit, wrong: 0.05 } },
  'wrong in 10 %': { share: 3, planner: usual, procedure: { ...habit, wrong: 0.1 } },
  'wrong in 20 %': { share: 3, planner: usual, procedure: { ...habit, wrong: 0.2 } },
  'wrong in 40 %': { share: 3, planner: usual, procedure: { ...habit, wrong: 0.4 } },
};

type Figures = Record<'promoted' | 'excess' | 'demoted' | 'planned' | 'judged', number> & { median: number | null };

function live(world: World, firstSeed: number): Figures {
  const all = Array.from({ length: FAMILIES }, (_, n) => liveFamily(world, TASKS, firstSeed + n));
  const sum = (value: (each: Lived) => number): number => all.reduce((total, each) => total + value(each), 0);
  const after = all.flatMap(({ promotedAfter }) => promotedAfter ?? []).toSorted((a, b) => a - b);
  return {
    promoted: after.length / all.length,
    median: after[Math.floor((after.length - 1) / 2)] ?? null,
    excess: sum(({ wrong, wrongByPlanner }) => wrong - wrongByPlanner) / sum(({ tasks }) => tasks),
    demoted: sum(({ demoted }) => demoted) / all.length,
    planned: sum(({ byProcedure }) => byProcedure) / sum(({ tasks }) => tasks),
    judged: sum(({ judged }) => judged) / sum(({ tasks }) => tasks),
  };
}

describe('habits of families of sixty tasks, some of which no procedure can do', () => {
  const figures = new Map<string, Figures>();
  const of = (name: string): Figures => figures.get(name) as Figures;

  // Not while the file is loaded: that time is unknown to vitest, which then runs the file last and alone.
  beforeAll(() => {
    for (const [n, [name, world]] of Object.entries(KINDS).entries())
      figures.set(name, live(world, FIRST_SEED + 1000 * n));
    if (process.env['OKA_FIGURES'] === '1') console.table(Object.fromEntries(figures));
  }, 1_200_000);

  it.each(['clean', 'clean, with a step that a model does', 'clean, and the planner is not'])(
    'a family that is %s is promoted after ten tasks at the median, always, and stays so',
    (name) => {
      expect(of(name).median).toBeLessThanOrEqual(10);
      expect([of(name).promoted, of(name).demoted]).toEqual([1, 0]);
      expect(of(name).planned).toBeGreaterThan(0.7);
    },
  );

  it('at most one task of a hundred is delivered wrong because of a procedure that is worse than planning', () => {
    const harm = Object.entries(KINDS).reduce(
      (sum, [name, { share }]) => sum + (share / 100) * Math.max(0, of(name).excess),
      0,
    );
    expect(harm).toBeLessThanOrEqual(0.01);
    expect(harm).toBeGreaterThan(0); // the world can do harm, so that the figure says something
  });

  it.each(Object.keys(KINDS))('also not within a kind: %s', (name) => {
    expect(of(name).excess).toBeLessThanOrEqual(isThorough ? 0.01 : 0.02); // twelve families say less than 300
  });

  it('a critic that is mistaken now and then costs a habit some of its tasks', () => {
    expect(of('clean, and the critic rejects 1 %').median).toBeLessThanOrEqual(10);
    expect(of('clean').planned - of('clean, and the critic rejects 1 %').planned).toBeLessThanOrEqual(
      isThorough ? 0.2 : 0.4,
    );
  });

  it('what fails its checks often is seldom promoted, and never delivered wrong', () => {
    const often = of('fails its checks often');
    expect(often.promoted).toBeLessThanOrEqual(0.3);
    expect(often.excess).toBeLessThanOrEqual(0.005);
  });

  it('what is wrong in many runs is used for few of them', () => {
    expect(of('wrong in 40 %').planned).toBeLessThan(0.3);
    expect(of('wrong in 20 %').planned).toBeLessThan(0.5);
  });
});
