import { defineTask } from '../../eval-task.ts';
import { parseRows, sumOf } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['total.txt'],
  criteria: (at) => [`contains: ${at('total.txt')} "Total: "`, 'total.txt has the sum of all travel expenses.'],
  proofs: [/Total: 131\.65/],
  work: ({ at, read, write, verify, compute }) => {
    const travel = parseRows(read('expenses.csv')).filter(({ category }) => category === 'travel');
    const total = sumOf(travel, 'amount').toFixed(2);
    write('total.txt', `Total: ${total}\n`);
    verify('total.txt');
    compute(total, `awk -F, '$2=="travel" {s+=$4} END {printf "%.2f", s}' ${at('expenses.csv')}`);
    return `The travel expenses add up to ${total}.`;
  },
  grade: ({ file }) => (/^Total: 131\.65$/m.test(file('total.txt') ?? '') ? null : 'the total is not 131.65'),
});
