import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['tax.txt'],
  criteria: (at) => [`matches: ${at('tax.txt')} /^\\d+\\.\\d\\d\\s*$/`, 'tax.txt has the sum of the rounded taxes.'],
  proofs: [/^(content: )?0\.87/],
  work: ({ at, read, write, compute }) => {
    const cents = parseRows(read('items.csv')).reduce(
      (sum, { net }) => sum + Math.floor((Math.round(Number(net) * 100) * 19 + 50) / 100),
      0,
    );
    const tax = (cents / 100).toFixed(2);
    write('tax.txt', `${tax}\n`);
    compute(tax, `awk -F, 'NR>1 {s+=int(($2*100*19+50)/100)} END {printf "%.2f", s/100}' ${at('items.csv')}`);
    return `The taxes add up to ${tax}, each rounded half up.`;
  },
  grade: ({ file }) => (file('tax.txt')?.trim() === '0.87' ? null : 'it is 0.87'),
});
