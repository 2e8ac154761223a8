import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['time.txt'],
  criteria: (at) => [`matches: ${at('time.txt')} /^\\d\\d:\\d\\d\\s*$/`, 'time.txt has the time of the dentist.'],
  proofs: [/15:30/],
  work: ({ at, read, write, compute }) => {
    const time = parseRows(read('calendar.csv')).find((row) => row['what'] === 'dentist')?.['time'] ?? '';
    write('time.txt', `${time}\n`);
    compute(time, `awk -F, '$3=="dentist" {print $2}' ${at('calendar.csv')}`);
    return `The dentist is at ${time}.`;
  },
  grade: ({ file }) => (file('time.txt')?.trim() === '15:30' ? null : 'it is 15:30'),
});
