import { expect, it } from 'vitest';
import { compareRounds, comparisonTable } from '../bench/against/ratios.ts';

const rounds = (...values: number[]): { node_us: number }[] => values.map((value) => ({ node_us: value }));

it('what takes longer in most rounds, by more than the tolerance, is slower', () => {
  const [row] = compareRounds(rounds(120, 125, 119, 90, 122), rounds(100, 101, 99, 100, 100), 0.05);
  expect(row).toMatchObject({ name: 'node_us', now: 120, other: 100, verdict: 'slower' });
  expect(row?.ratio).toBeCloseTo(1.2, 1);
});

it('a difference that half of the rounds do not show is none, nor is one within the tolerance', () => {
  expect(compareRounds(rounds(150, 160, 110, 90, 80), rounds(100, 100, 100, 100, 100), 0.05)[0]?.verdict).toBe('same');
  expect(compareRounds(rounds(104, 104, 104), rounds(100, 100, 100), 0.05)[0]?.verdict).toBe('same');
});

it('rounds are compared in pairs: a machine that gets slower for all makes nothing slower', () => {
  expect(compareRounds(rounds(10, 20, 40, 80), rounds(10, 20, 40, 80), 0)[0]).toMatchObject({
    ratio: 1,
    verdict: 'same',
  });
});

it('of a rate more is better', () => {
  const [row] = compareRounds([{ runs64_rate: 200 }], [{ runs64_rate: 100 }], 0.05);
  expect(row).toMatchObject({ ratio: 0.5, verdict: 'faster' });
});

it('figures that only one version has are left out, and the table names the others', () => {
  const rows = compareRounds([{ a: 2, b: 1 }], [{ a: 1, c: 1 }], 0.05);
  expect(comparisonTable('2295d3c6', rows)).toBe(
    ['   2295d3c6   now  ratio  middle half', 'a      1.00  2.00   2.00    2.00–2.00  slower', ''].join('\n'),
  );
});
