import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['counts.csv'],
  criteria: (at) => [`rows: ${at('counts.csv')} == 3`, 'counts.csv has the number of defects of each severity.'],
  proofs: [/^low,3$/],
  work: ({ at, read, write, compute }) => {
    const severities = parseRows(read('defects.csv')).map(({ severity = '' }) => severity);
    const count = (name: string): number => severities.filter((each) => each === name).length;
    const names = [...new Set(severities)].toSorted();
    write('counts.csv', `severity,count\n${names.map((name) => `${name},${count(name)}\n`).join('')}`);
    for (const name of names) compute(`${count(name)}`, `grep -c ,${name} ${at('defects.csv')}`);
    return 'counts.csv has the three severities.';
  },
  grade: ({ file }) =>
    file('counts.csv') === 'severity,count\nhigh,2\nlow,3\nmedium,1\n' ? null : 'the counts are wrong',
});
