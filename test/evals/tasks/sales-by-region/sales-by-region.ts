import { defineTask } from '../../eval-task.ts';
import { parseRows, sumOf } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['by-region.csv'],
  criteria: (at) => [`rows: ${at('by-region.csv')} == 3`, 'by-region.csv has the sum of each region, largest first.'],
  proofs: [/north,350/],
  work: ({ at, read, write, verify, compute }) => {
    const rows = parseRows(read('sales.csv'));
    const regions = [...new Set(rows.map(({ region }) => region ?? ''))];
    const sums = regions.map((region) => ({
      region,
      sum: sumOf(
        rows.filter((row) => row['region'] === region),
        'amount',
      ),
    }));
    const lines = sums.toSorted((a, b) => b.sum - a.sum).map(({ region, sum }) => `${region},${sum}`);
    write('by-region.csv', `region,amount\n${lines.join('\n')}\n`);
    verify('by-region.csv');
    compute(
      sums.map(({ sum }) => sum).join(' '),
      `awk -F, 'NR>1 {s[$2]+=$4} END {for (r in s) print r, s[r]}' ${at('sales.csv')}`,
    );
    return `The largest region is ${lines[0]}.`;
  },
  grade: ({ file }) =>
    file('by-region.csv')?.trim() === 'region,amount\nnorth,350\nsouth,290\nwest,160' ? null : 'by-region.csv is wrong',
});
