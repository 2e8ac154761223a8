import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['totals.csv'],
  criteria: (at) => [`rows: ${at('totals.csv')} == 3`, 'totals.csv has the sum of each month.'],
  proofs: [/2026-02,65/],
  work: ({ at, read, write, compute }) => {
    const totals = new Map<string, number>();
    for (const { date = '', amount } of parseRows(read('sales.csv')))
      totals.set(date.slice(0, 7), (totals.get(date.slice(0, 7)) ?? 0) + Number(amount));
    const lines = [...totals].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([month, total]) => `${month},${total}`);
    write('totals.csv', `month,total\n${lines.join('\n')}\n`);
    const command = `awk -F, 'NR>1 {s[substr($1,1,7)]+=$2} END {for (m in s) print m, s[m]}' ${at('sales.csv')}`;
    compute([...totals.values()].join(' '), command);
    return 'totals.csv has three months.';
  },
  grade: ({ file }) =>
    file('totals.csv')?.trim() === 'month,total\n2026-01,20\n2026-02,65\n2026-03,70' ? null : 'the totals are wrong',
});
