import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['rate.json'],
  criteria: (at) => [`json: ${at('rate.json')} percent > 0`, 'rate.json has the share of yes in percent.'],
  proofs: [/"percent": ?67/],
  work: ({ at, read, write, verify, compute }) => {
    const entries = parseRows(read('attendance.csv')).flatMap(({ mon, tue, wed }) => [mon, tue, wed]);
    const percent = Math.round((100 * entries.filter((entry) => entry === 'yes').length) / entries.length);
    write('rate.json', `{"percent": ${percent}}\n`);
    verify('rate.json');
    compute(
      `${percent}`,
      `awk -F, 'NR>1 {n+=3; y+=gsub(/yes/,"")} END {printf "%.0f", 100*y/n}' ${at('attendance.csv')}`,
    );
    return `${percent} percent of the entries are yes.`;
  },
  grade: ({ file }) => (/^\{"percent": ?67\}/.test(file('rate.json') ?? '') ? null : 'the rate is not 67'),
});
