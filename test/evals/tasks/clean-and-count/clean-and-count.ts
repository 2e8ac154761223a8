import { defineTask } from '../../eval-task.ts';
import { parseRows, sumOf } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['clean.csv', 'stats.json'],
  criteria: (at) => [
    `rows: ${at('clean.csv')} == 3`,
    `json: ${at('stats.json')} rows == 3`,
    'stats.json has the number of rows and the sum of clean.csv.',
  ],
  proofs: [/"rows": ?3, ?"sum": ?42/],
  work: ({ at, read, write, verify, compute }) => {
    const lines = read('raw.csv')
      .trim()
      .split('\n')
      .filter((line) => !line.endsWith(','));
    write('clean.csv', `${lines.join('\n')}\n`);
    const rows = parseRows(lines.join('\n'));
    write('stats.json', `{"rows": ${rows.length}, "sum": ${sumOf(rows, 'amount')}}\n`);
    verify('stats.json');
    compute(
      `${rows.length}, ${sumOf(rows, 'amount')}`,
      `awk -F, 'NR>1 && $2!="" {n++; s+=$2} END {print n, s}' ${at('raw.csv')}`,
    );
    return `clean.csv has ${rows.length} rows.`;
  },
  grade: ({ file }) =>
    file('clean.csv') === 'id,amount\n1,10\n3,25\n5,7\n' && /"rows": ?3, ?"sum": ?42\}/.test(file('stats.json') ?? '')
      ? null
      : 'clean.csv or stats.json is wrong',
});
