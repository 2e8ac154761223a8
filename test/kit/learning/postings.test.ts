import { expect, it } from 'vitest';
import { addPosting, countPostings, type Postings, postingsOf } from '../../../src/kit/learning/postings.ts';

it('what was added for a term comes back in its order, however much it is, and nothing of another term', () => {
  const postings: Postings = new Map();
  for (let entry = 0; entry < 5000; entry += 1) {
    addPosting(postings, 'often', 3 * entry);
    if (entry % 100 === 0) addPosting(postings, 'rarely', entry);
    expect(countPostings(postings, 'often')).toBe(entry + 1);
    if (entry < 300) expect([...postingsOf(postings, 'often')]).toEqual(multiplesOf(3, entry + 1));
  }
  expect([...postingsOf(postings, 'often')]).toEqual(multiplesOf(3, 5000));
  expect([...postingsOf(postings, 'rarely')]).toEqual(multiplesOf(100, 50));
  expect([countPostings(postings, 'never'), postingsOf(postings, 'never').length]).toEqual([0, 0]);
});

const multiplesOf = (step: number, count: number): number[] => Array.from({ length: count }, (_, at) => at * step);
