import { describe, expect, it } from 'vitest';
import { findDoubts } from '../../../../src/rooms/task/roles/doubtful-values.ts';
import type { Inputs } from '../../../../src/rooms/task/roles/value-sources.ts';

const stock = {
  name: 'files.read {"path":"stock.csv"}',
  text: 'content: item,count\nnails,250\nbolts,35\nmore: false',
};
const given: Inputs = { task: 'Make stock.md.', made: [], read: [stock], given: ['stock.csv'], calls: [] };
const doubts = (text: string, more: Partial<Inputs> = {}): string[] =>
  findDoubts({ ...given, made: [{ name: 'stock.md', text }], calls: [text], ...more }).map(({ value }) => value);

describe('a value needs a source', () => {
  it.each<[why: string, text: string, more: Partial<Inputs>, values: string[]]>([
    ['where it is in no input', 'There are 36 bolts.', {}, ['36']],
    ['where its row is that of somebody else', '| item | count |\n|---|---|\n| nails | 35 |', {}, ['35']],
    ['where it was to be computed, and merely occurs', '250', { task: 'Count the articles in stock.csv.' }, ['250']],
    [
      'where a count was computed that is also the number of a row',
      'nails',
      { computed: ['2'], read: [{ name: 'a.csv', text: 'id,item\n1,bolts\n2,nails' }] },
      ['2'],
    ],
    [
      'where the row was another before it was changed',
      'A-17,nails,13',
      {
        read: [
          { name: 'diff of stock.csv', text: 'A-17,nails,7' },
          { name: 'x', text: 'A-1,bolts,13' },
        ],
      },
      ['13'],
    ],
    ['where only the number of its folder is the same', 'Total: 36', { given: ['stock-36/stock.csv'] }, ['36']],
    ['where another value was computed', '4', { computed: ['2'] }, ['4', '2']],
    [
      'where a line of prose with commas has it',
      'bolts,4',
      { task: 'Count.', read: [stock, { name: 'chat.md', text: 'Hi, I think, 4 of bolts, and 9 nails. Tom' }] },
      ['4'],
    ],
    [
      'where only chatter has it',
      'Total: 300',
      { task: 'Write the total.', read: [stock, { name: 'chat.md', text: 'Kim: the total is 300, I think.' }] },
      ['300'],
    ],
  ])('%s', (_, text, more, values) => {
    expect(doubts(text, more)).toEqual(values);
  });

  it.each<[why: string, text: string, more: Partial<Inputs>]>([
    ['where it was copied', '| item | count |\n|---|---|\n| nails | 250 |\n| bolts | 35 |', {}],
    ['where the task says it', 'retries: 3', { task: 'Set retries to 3.' }],
    ['where a command has printed it', 'Total: 285', { task: 'Write the total.', computed: ['285'] }],
    ['where a command of the work has printed it', 'Total: 285', { task: 'Add up.', printed: ['285\n'] }],
    ['where a program has written it', 'Total: 285', { task: 'Add up.', calls: ['python3 sum.py stock.csv'] }],
    ['where it numbers a list', '1. nails\n2. bolts\n17. nothing', {}],
    ['where nothing was read', 'Take 200 g of flour.', { read: [{ name: 'memories', text: 'Ann likes 3 eggs.' }] }],
    [
      'where it leads to the result by a row',
      'ada@example.org',
      { computed: ['c1'], read: [{ name: 'a.csv', text: 'customer,mail\nc1,ada@example.org' }] },
    ],
  ])('but not %s', (_, text, more) => {
    expect(doubts(text, more)).toEqual([]);
  });

  it('but not in a program', () => {
    expect(doubts('range(36)', { made: [{ name: 'files.read {"path":"a.py"}', text: 'range(36)' }] })).toEqual([]);
  });

  it('and is found in tables of thousands of rows', () => {
    const rows = Array.from({ length: 5000 }, (_, at) => `A-${at},part ${at},${at % 90}`);
    const text = `id,name,count\n${rows.join('\n')}`;
    const read = [{ name: 'big.csv', text }];
    expect(doubts(text, { read })).toEqual([]);
    expect(doubts('id,name,count\nA-7,part 7,91', { read })).toEqual(['91']);
  });
});
