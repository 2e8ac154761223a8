import { describe, expect, it } from 'vitest';
import { oddShape, shapeOf } from '../../../src/kit/learning/file-shape.ts';
import { expectedOf, oddities, traitsOf } from '../../../src/kit/learning/result-traits.ts';
import { oddInput, usualOf } from '../../../src/rooms/procedures/input-shapes.ts';

const sales = 'day,shop,sum\n2031-03-04,Bern,12.50\n2031-03-05,Thun,7.25\n';

describe('what a file is like', () => {
  it.each([
    [
      sales,
      { mark: ',', columns: ['day', 'shop', 'sum'], values: ['date 2031-03-04', 'text', 'decimal point'], rows: 2 },
    ],
    ['a;b\n1;2\n3;4\n', { mark: ';', columns: ['a', 'b'], values: ['number', 'number'], rows: 2 }],
    ['1,5;x\n2,5;y\n', { mark: ';', columns: [], values: ['decimal comma', 'text'], rows: 2 }],
    [
      'name,note\nAnn,"one, two"\nBen,"a, b"\n',
      { mark: ',', columns: ['name', 'note'], values: ['text', 'text'], rows: 2 },
    ],
    ['- milk\n- eggs\n', { mark: '-', columns: [], values: [], rows: 2 }],
    ['rent: 900\nwater: 40\n', { mark: ':', columns: [], values: ['number'], rows: 2 }],
    ['{"total": 3}', { mark: '{}', columns: ['total'], values: ['number'], rows: 1 }],
    ['It rained.\nThen it did not.\n', { mark: '', columns: [], values: [], rows: 2 }],
  ])('%j', (text, shape) => {
    expect(shapeOf(text)).toEqual(shape);
  });

  it.each([
    ['other values of the same kinds', sales.replaceAll('Bern', 'Visp').replace('12.50', '3.10'), null],
    ['whole numbers among decimals', sales.replace('12.50', '12'), null],
    ['nothing in it', '', null],
    ['another separator', sales.replaceAll(',', ';'), 'its lines have ";", not "," as before'],
    [
      'another column',
      sales.replace('sum', 'sum in cents'),
      'its columns are day, shop, sum in cents, not day, shop, sum as before',
    ],
    [
      'other decimals',
      sales.replace('12.50', '"12,50"'),
      'its sum has decimal comma, decimal point, not decimal point as before',
    ],
    [
      'other dates',
      sales.replace('2031-03-04', '4.3.2031'),
      'its day has date 2031-03-04, date 4.3.2031, not date 2031-03-04 as before',
    ],
    ['words for numbers', sales.replace('12.50', 'about ten'), 'its sum has text, not decimal point as before'],
  ])('one with %s', (_, text, odd) => {
    expect(oddShape([shapeOf(sales)], shapeOf(text))).toBe(odd);
  });
});

describe('what good runs read and wrote', () => {
  const read = (text: string) => ({ 'data/{{input.name}}.csv': shapeOf(text) });
  const wrote = (text: string, input = sales) => traitsOf([{ text, bytes: text.length }], read(input));

  it('is learned from them, and files of two kinds are both usual', () => {
    const usual = usualOf([{ read: read(sales) }, { read: read(sales) }, { read: read(sales.replaceAll(',', ';')) }]);
    expect(Object.values(usual.inputs).map((shapes) => shapes.map(({ mark }) => mark))).toEqual([[',', ';']]);
    expect(oddInput(usual, read(sales.replaceAll(',', ';')))).toBeNull();
    expect(oddInput(usual, read(sales.replaceAll(',', '\t')))).toContain('is not like before: its lines have tabs');
  });

  it('says nothing of a place that was never read, and nothing before three results', () => {
    expect(oddInput(usualOf([]), read(sales))).toBeNull();
    expect(expectedOf([wrote('19.75\n'), wrote('8\n')])).toBeNull();
  });

  const sums = expectedOf([wrote('total: 19.75\n'), wrote('total: 8\n'), wrote('total: 411.00\n')]);
  const copies = expectedOf(['a', 'b', 'c'].map((name) => wrote(sales.replace('Bern', name))));

  it.each([
    ['a sum', 'total: 33.10\n', sums, []],
    ['a sum of 0', 'total: 0\n', sums, ['every number in it is 0']],
    ['nothing', '', sums, ['what it wrote has 0 bytes, not 9 to 14 as before']],
    ['a long text', 'no total: '.repeat(90), sums, ['what it wrote has 900 bytes, not 9 to 14 as before']],
    ['a table with all rows', sales.replace('Bern', 'Spiez'), copies, []],
    ['a table without a row', sales.replace(/2031-03-05.*\n/, ''), copies, ['it read 2 lines and wrote 1']],
    [
      'a table of other columns',
      sales.replace('shop', 'place'),
      copies,
      ['its columns are day, place, sum, not day, shop, sum as before'],
    ],
  ])('%s', (_, text, expected, odd) => {
    if (expected === null) throw new Error('three results are enough');
    expect(oddities(wrote(text), expected).filter((each) => !(text === '' && each.includes('0 is')))).toEqual(odd);
  });

  it('one file more is odd', () => {
    if (sums === null) throw new Error('three results are enough');
    const two = traitsOf(
      [
        { text: 'total: 3\n', bytes: 9 },
        { text: 'x', bytes: 1 },
      ],
      read(sales),
    );
    expect(oddities(two, sums)).toEqual(['it changed 2 files, not 1 as before']);
  });
});
