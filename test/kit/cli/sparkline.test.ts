import { expect, it } from 'vitest';
import { sparkline } from '../../../src/kit/cli/sparkline.ts';

it('the highest value is the highest bar, nothing is the lowest, and a gap is a dot', () => {
  expect(sparkline([0, null, 4, 8], 10)).toBe('▁·▅█');
});
it('as many values as there is room for: neighbours are put together', () => {
  expect(sparkline([1, 1, 1, 1, 8, 8, null, null], 4)).toBe('▂▂█·');
});
it('nothing is drawn of nothing', () => {
  expect(sparkline([], 10)).toBe('');
});
