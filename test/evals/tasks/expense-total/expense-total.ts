import { defineTask } from '../../eval-task.ts';
import { parseRows, sumOf } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['total.txt'],
  criteria: (at) => [`contains: ${at('total.txt')} "Total: "`, 'total.txt has the sum of all travel expenses.'],
  proofs: [/Total: 131\.65/],
  work: ({ read, write, verify }) => {
    const travel = parseRows(read('expenses.csv')).filter(({ category }) => category === 'travel');
    const total = sumOf(travel, 'amount').toFixed(2);
    write('total.txt', `Total: ${total}\n`);
    verify('total.txt');
    return `The travel expenses add up to ${total}.`;
  },
  grade: ({ file }) => (/^Total: 131\.65$/m.test(file('total.txt') ?? '') ? null : 'the total is not 131.65'),
});
