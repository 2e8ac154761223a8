import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['new.csv'],
  criteria: (at) => [
    `contains: ${at('new.csv')} "tea,33"`,
    `unchanged: ${at('archive.csv')}`,
    'Every price in new.csv is raised by 10 percent.',
  ],
  proofs: [/coffee,55/],
  work: ({ at, read, write, verify, wrote, compute }) => {
    if (!wrote('new.csv')) {
      const rows = parseRows(read('new.csv')).map(({ item, price }) => `${item},${Math.round(Number(price) * 1.1)}`);
      write('new.csv', `item,price\n${rows.join('\n')}\n`);
    }
    verify('new.csv');
    compute('33 55 44', `awk -F, 'NR>1 {printf "%s %.0f\\n", $1, $2*1.1}' ${at('archive.csv')}`);
    return 'The prices in new.csv are raised by 10 percent.';
  },
  grade: ({ file }) =>
    file('new.csv') === 'item,price\ntea,33\ncoffee,55\ncocoa,44\n' &&
    file('archive.csv') === 'item,price\ntea,30\ncoffee,50\ncocoa,40\n'
      ? null
      : 'new.csv is wrong, or archive.csv was changed',
});
