import { describe, expect, it } from 'vitest';
import { compareValue, describeSources, figuresIn } from '../../../../src/rooms/task/roles/value-sources.ts';

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
  ])('%s of a command that prints %j: %s', (claimed, printed, agrees) => {
    expect(compareValue(claimed, printed).agrees).toBe(agrees);
  });

  it('names the ways of rounding where they decide the last digit, and only there', () => {
    expect(compareValue('12.35', '12.345').note).toBe('half up 12.35, half to even 12.34, cut off 12.34');
    expect(compareValue('0.13', '0.128').note).toBe('half up 0.13, half to even 0.13, cut off 0.12');
    expect(compareValue('0.12', '0.1201').note).toBe('');
    expect(compareValue('1', '0.999').note).toBe('half up 1, half to even 1, cut off 0');
  });

  it('is one figure with separators of thousands, and a date is one, too', () => {
    expect(figuresIn('1,240.50 on 2026-03-01 at 8:30, 12,5')).toEqual(['1240.50', '2026-03-01', '8:30', '12,5']);
  });
});

describe('the sources of figures', () => {
  const inputs = {
    task: 'Write the total of 2026 to out.md.',
    made: [{ name: 'out.md', text: 'Total 2026: 1,240 of 17 invoices\n' }],
    read: [{ name: 'a.csv', text: 'a,1240\n' }],
    given: ['job/a.csv', 'job/rates.csv'],
    calls: ['{"path":"job/a.csv"}'],
  };

  it('are named where there are none: what is in no input, and what nobody has read', () => {
    expect(describeSources(inputs)).toBe('out.md: in no input: 17\nno step has read: job/rates.csv');
  });

  it('are not spoken of where all is in order', () => {
    expect(describeSources({ ...inputs, read: [{ name: 'x', text: '1240 17' }], calls: ['cat job/*'] })).toBe('');
  });
});
