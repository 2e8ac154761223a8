import { describe, expect, it } from 'vitest';
import { eValue, judge, computeNumbers, missingForPromotion } from '../../../src/rooms/procedures/promotion-gate.ts';
import type { Case, Trial } from '../../../src/rooms/procedures/procedure-case.ts';
import { MaintenanceConfig } from '../../../src/core/schema/maintenance.ts';
import { chance } from '../../support/chance.ts';
import { casesOf } from '../../support/thorough.ts';

const settings = MaintenanceConfig.parse({}).procedures;
const START = '2026-01-01T00:00:00.000Z';
const hour = (n: number): string => new Date(Date.parse(START) + n * 3_600_000).toISOString();

const candidate: Case = {
  status: 'candidate',
  since: START,
  began: '',
  confirmed: '',
  compared: 1,
  differing: [],
  forced: false,
  probation: false,
  uses: [],
  history: [],
  successes: 5,
  lastSuccess: hour(1),
  with: [],
  without: [],
};

const runs = (count: number, about: Partial<Trial>, from = 0): Trial[] =>
  Array.from({ length: count }, (_, n) => ({
    run: `r${from + n}`,
    at: hour(from + n),
    fine: true,
    seen_by: null,
    repeated: false,
    tokens: 1000,
    seconds: 60,
    ...about,
  }));

function outcome(given: Case, now: string): string {
  const whole = { ...given, history: given.with };
  const judgement = judge(whole, computeNumbers(whole, now, settings), now, settings);
  return judgement?.to ?? given.status;
}

type World = { with: number; without: number; tokens: readonly [number, number] };

/** A candidate that is tried on a share of the matches and judged after every trial. */
function promotedWithin(matches: number, world: World, random: () => number): boolean {
  const [tried, other]: [Trial[], Trial[]] = [[], []];
  for (let n = 0; n < matches; n += 1) {
    const at = hour(3 * n);
    const isTrial = random() < settings.trial_share;
    const fine = random() < (isTrial ? world.with : world.without);
    const tokens = world.tokens[isTrial ? 0 : 1] * (0.6 + 0.8 * random());
    (isTrial ? tried : other).push({ run: `r${n}`, at, fine, seen_by: null, repeated: false, tokens, seconds: null });
    const status = isTrial ? outcome({ ...candidate, lastSuccess: at, with: tried, without: other }, at) : 'candidate';
    if (status !== 'candidate') return status === 'promoted';
  }
  return false;
}

function promotedShare(world: World, seed: number): number {
  const random = chance(seed);
  const trials = 200;
  return Array.from({ length: trials }, () => promotedWithin(200, world, random)).filter(Boolean).length / trials;
}

const NO_BETTER: [name: string, World][] = [
  ['as good and as fast', { with: 0.9, without: 0.9, tokens: [1000, 1000] }],
  ['as good, where nearly everything goes well', { with: 0.97, without: 0.97, tokens: [1000, 1000] }],
  ['as good, where much goes wrong', { with: 0.7, without: 0.7, tokens: [1000, 1000] }],
  ['as good and slower', { with: 0.95, without: 0.95, tokens: [2000, 1000] }],
];
const BETTER: [name: string, World][] = [
  ['never fails and needs no model', { with: 1, without: 0.87, tokens: [0, 1000] }],
  ['never fails, like the planner, and needs no model', { with: 1, without: 1, tokens: [0, 1000] }],
  ['seldom fails and needs no model', { with: 0.99, without: 0.9, tokens: [0, 1000] }],
];
const someOf = (worlds: readonly [name: string, World][]) => casesOf(worlds, (_, index) => index % 3 === 0);

describe('G2 a procedure that is no cheaper and no better is promoted in at most one case of six', () => {
  it.each(someOf(NO_BETTER))('%s', (_, world) => {
    expect(promotedShare(world, 11)).toBeLessThanOrEqual(0.2); // one in six, in a sample of 200
  });
});

describe('G1 a better one is promoted', () => {
  it.each(someOf(BETTER))('%s', (_, world) => {
    expect(promotedShare(world, 12)).toBeGreaterThanOrEqual(0.9);
  });
});

describe('promotion', () => {
  const now = hour(120);
  const proven: Case = { ...candidate, with: runs(60, { tokens: 0 }, 25), without: runs(60, {}) };

  it('needs three successes that do not depend on each other, whatever the numbers say', () => {
    expect(outcome(proven, now)).toBe('promoted');
    expect(outcome({ ...proven, successes: 2 }, now)).toBe('candidate');
  });

  it('G3 a run with it that went wrong lately forbids it, and no longer when that is past', () => {
    const [first, ...rest] = proven.with;
    const wrong = [{ ...(first as Trial), fine: false }, ...rest];
    expect(outcome({ ...proven, with: wrong }, now)).toBe('candidate');
    expect(outcome({ ...proven, with: wrong }, hour(25 + 24 * 15))).toBe('promoted');
  });

  it('after a flawless baseline it needs three runs that are cheaper, each with every check met', () => {
    const short: Case = { ...candidate, successes: 3, with: runs(3, { tokens: 0 }, 10), without: runs(2, {}) };
    expect(outcome(short, now)).toBe('promoted');
    expect(outcome({ ...short, with: runs(2, { tokens: 0 }, 10) }, now)).toBe('candidate');
    expect(outcome({ ...short, with: runs(3, { tokens: 950 }, 10) }, now)).toBe('candidate');
    expect(outcome({ ...short, with: [...short.with, ...runs(1, { fine: false }, 20)] }, now)).toBe('demoted');
  });

  it('without a comparable run nothing is shown', () => {
    expect(outcome({ ...proven, without: [] }, now)).toBe('candidate');
  });

  it('says what is missing, and nothing when nothing is', () => {
    const missing = (given: Case): string[] =>
      missingForPromotion(given, computeNumbers({ ...given, history: given.with }, now, settings), settings);
    expect(missing({ ...candidate, successes: 1, without: runs(2, {}) })).toEqual([
      '2 more successes',
      '3 more runs with it that are cheaper than without it',
    ]);
    expect(missing({ ...candidate, without: runs(2, {}), with: runs(2, { tokens: 0 }, 10) })).toEqual([
      '1 more run with it that is cheaper than without it',
    ]);
    expect(missing(candidate)).toEqual(['a run without it to compare with']);
    expect(missing({ ...proven, with: [...proven.with, ...runs(1, { fine: false, tokens: 0 }, 100)] })).toEqual([
      'no failure in its last 5 runs and 14 days (1 now)',
    ]);
    expect(missing(proven)).toEqual([]);
    expect(missing({ ...proven, compared: 0 })).toEqual([
      'a good run that was planned without it, to compare what both write',
    ]);
  });

  it('cannot beat a baseline that never fails by quality alone', () => {
    expect(outcome({ ...proven, with: runs(200, {}, 25), without: runs(200, {}) }, hour(400))).toBe('candidate');
  });
});

describe('afterwards', () => {
  const promoted: Case = { ...candidate, status: 'promoted', since: hour(10), with: runs(5, {}, 20) };

  it('G3 two of the last five that went wrong demote it; one does not', () => {
    const [a, b, ...rest] = promoted.with as [Trial, Trial, ...Trial[]];
    expect(outcome({ ...promoted, with: [{ ...a, fine: false }, b, ...rest] }, hour(30))).toBe('promoted');
    for (const repeated of [false, true]) {
      const wrong = [a, b].map((each) => ({ ...each, fine: false, repeated }));
      expect(outcome({ ...promoted, with: [...wrong, ...rest] }, hour(30))).toBe('demoted');
    }
  });

  it('G3 one that passed its checks and was wrong all the same is enough', () => {
    const [a, ...rest] = promoted.with as [Trial, ...Trial[]];
    for (const seen_by of ['critic', 'person'] as const)
      expect(outcome({ ...promoted, with: [{ ...a, fine: false, seen_by }, ...rest] }, hour(30))).toBe('demoted');
  });

  it('says which runs went wrong', () => {
    const about = (wrong: Partial<Trial>, count: number): string | undefined => {
      const given = { ...promoted, with: [...runs(count, { fine: false, ...wrong }, 20), ...runs(5 - count, {}, 25)] };
      const whole = { ...given, history: given.with };
      return judge(whole, computeNumbers(whole, hour(30), settings), hour(30), settings)?.reason;
    };
    expect(about({}, 2)).toBe('2 of its last 5 runs went wrong: r20, r21');
    expect(about({ seen_by: 'critic' }, 1)).toBe('the critic rejected the result of r20, which had passed its checks');
  });

  it('G4 its probation ends after twenty uses in a row that went well, and begins again when one did not', () => {
    const use = (uses: Trial[], probation: boolean): unknown => {
      const given = { ...promoted, uses, probation };
      return judge(given, computeNumbers(given, hour(30), settings), hour(30), settings);
    };
    expect(use(runs(19, {}, 11), true)).toBeNull();
    expect(use(runs(20, {}, 11), true)).toMatchObject({ to: 'promoted' });
    expect(use(runs(20, {}, 11), true)).not.toHaveProperty('probation');
    expect(use(runs(20, {}, 11), false)).toBeNull();
    const failed = [...runs(19, {}, 11), ...runs(1, { fine: false }, 30)];
    expect(use(failed, true)).toBeNull();
    expect(use(failed, false)).toMatchObject({ to: 'promoted', probation: true });
    const repeated = failed.map((each) => ({ ...each, repeated: true }));
    expect(use(repeated, false)).toBeNull();
    expect(use(repeated, true)).toMatchObject({ to: 'promoted' });
    expect(use(repeated, true)).not.toHaveProperty('probation');
  });

  it('what went wrong before the promotion is not held against it again', () => {
    expect(outcome({ ...promoted, with: runs(5, { fine: false }, 1) }, hour(30))).toBe('promoted');
  });

  it('what nobody needs any more is retired, from every status', () => {
    const later = hour(24 * 181 + 24);
    for (const status of ['candidate', 'promoted', 'demoted'] as const)
      expect(outcome({ ...promoted, status }, later)).toBe('retired');
    expect(outcome({ ...promoted, status: 'retired' }, later)).toBe('retired');
  });
});

describe('evidence', () => {
  it('is worth 1 on average when the claim is true', () => {
    for (const usual of [0.5, 0.8, 0.95]) {
      let sum = 0;
      for (let good = 0; good <= 6; good += 1) sum += binomial(6, good, usual) * eValue(usual, good, 6 - good);
      expect(sum).toBeCloseTo(1, 6);
    }
  });
  it('is nothing against perfection', () => {
    expect(eValue(1, 1000, 0)).toBe(0);
  });
});

function binomial(n: number, k: number, p: number): number {
  let ways = 1;
  for (let i = 0; i < k; i += 1) ways = (ways * (n - i)) / (i + 1);
  return ways * p ** k * (1 - p) ** (n - k);
}
