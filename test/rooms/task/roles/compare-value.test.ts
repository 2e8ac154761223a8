import { describe, expect, it } from 'vitest';
import { compareValue } from '../../../../src/rooms/task/roles/compare-value.ts';

describe('a figure that was computed again', () => {
  it.each([
    ['67', '67\n', true],
    ['1,240.50 EUR', '1240.50\n', true],
    ['1240.5', '1240.50', true],
    ['67', '66.67', true],
    ['12.35', '12.345', true],
    ['12.34', '12.345', true],
    ['12.36', '12.345', false],
    ['120', '118', false],
    ['2026-03-01', '2026-03-01', true],
    ['2026-03-02', '2026-03-01', false],
    ['3 of 10', '3\n10\n', true],
    ['3 of 11', '3\n10\n', false],
    ['Alder', 'alder 17', true],
    ['Birch', 'alder 17', false],
    ['1.234,50 EUR', '1234.5', true],
    ['1 234,50', '1234.50', true],
    ['1.234,60', '1234.50', false],
    ['12 %', '0.12', true],
    ['12.3 %', '0.12345', true],
    ['13 %', '0.12', false],
    ['3 of 10', '3', true],
    ['4 of 10', '3', false],
    ['2026-11-19', '19.11.2026', true],
    ['19 November 2026', '2026-11-19', true],
    ['20 November 2026', '2026-11-19', false],
    ['7 on 2026-11-19', '2026-11-19 7', true],
    ['8 on 2026-11-19', '2026-11-19 7', false],
    ['−5', '-5', true],
  ])('%s of a command that prints %j: %s', (claimed, printed, agrees) => {
    expect(compareValue(claimed, printed).agrees).toBe(agrees);
  });

  it.each([
    ['five', '5'],
    ['yes', 'True'],
    ['Friday', 'Fri'],
    ['none', '0'],
    ['0', ''],
    ['2 (a.csv and b.csv)', 'a.csv\nb.csv'],
    ['1.2 million', '1200000'],
    ['3 h 20 min', '3:20'],
    ['200', '3:20'],
    ['12.5 less', '-12.5'],
    ['1/3', '0.333'],
  ])('%s of a command that prints %j is not decided by code', (claimed, printed) => {
    expect(compareValue(claimed, printed).agrees).toBeNull();
  });

  it('names the ways of rounding where they decide the last digit, and only there', () => {
    expect(compareValue('12.35', '12.345').note).toBe('half up 12.35, half to even 12.34, cut off 12.34');
    expect(compareValue('0.13', '0.128').note).toBe('half up 0.13, half to even 0.13, cut off 0.12');
    expect(compareValue('0.12', '0.1201').note).toBe('');
    expect(compareValue('1', '0.999').note).toBe('half up 1, half to even 1, cut off 0');
  });
});
