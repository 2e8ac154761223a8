import { beforeAll, describe, expect, it } from 'vitest';
import { type Budget, excessesIn, readBudget, surplusesIn } from '../bench/budget.ts';
import { type Counts, measureCounts } from '../bench/budget/counts.ts';

describe('the budget', () => {
  let counts: Counts = {};
  beforeAll(async () => {
    counts = await measureCounts();
  });

  it('nothing that is counted exceeds bench/budget.json', () => {
    for (const line of surplusesIn(counts, readBudget())) console.log(line);
    expect(excessesIn(counts, readBudget())).toEqual([]);
  });

  it('every budget says why so much is needed', () => {
    const silent = Object.entries(readBudget()).filter(([, { why }]) => why.length < 10 || why.startsWith('Say why'));
    expect(silent).toEqual([]);
  });
});

describe('comparing', () => {
  const budget: Budget = { 'oka status': { why: 'It reads projections.', most: { modules: 60, packages: 0 } } };

  it('a count that exceeds its budget is reported with the budget, its reason and the remedy', () => {
    expect(excessesIn({ 'oka status': { modules: 61, packages: 1 } }, budget)).toEqual([
      'oka status takes 61 modules, the budget is 60 ("It reads projections."): take less, or raise it in bench/budget.json with the reason',
      'oka status takes 1 packages, the budget is 0 ("It reads projections."): take less, or raise it in bench/budget.json with the reason',
    ]);
    expect(excessesIn({ 'oka status': { modules: 60, packages: 0 } }, budget)).toEqual([]);
  });

  it('a count without a budget and a budget without a count are reported', () => {
    expect(excessesIn({ 'oka runs': { modules: 1 } }, budget)).toEqual([
      'oka runs has no budget for modules (1): `npm run bench -- budget --write` writes it',
      'oka status has a budget, but is not counted any more: `npm run bench -- budget --write` writes it',
    ]);
  });

  it('a budget of which little is used is reported, so that it is lowered', () => {
    expect(surplusesIn({ 'oka status': { modules: 50, packages: 0 } }, budget)).toEqual([
      'oka status takes only 50 modules of 60: `npm run bench -- budget --write` writes it',
    ]);
    expect(surplusesIn({ 'oka status': { modules: 52, packages: 0 } }, budget)).toEqual([]);
  });
});
