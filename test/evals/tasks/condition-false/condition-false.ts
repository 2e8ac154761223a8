import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['alert.txt'],
  criteria: (at) => [`file: ${at('alert.txt')} is absent`, 'No value in measurements.csv is above 100.'],
  proofs: [/99\.5/],
  work: ({ read, write, isThere }) => {
    const high = parseRows(read('measurements.csv')).filter(({ value }) => Number(value) > 100);
    if (high.length > 0) write('alert.txt', JSON.stringify(high));
    isThere('alert.txt');
    return 'No value in measurements.csv is above 100 (the highest is 99.5), so there was nothing to do.';
  },
  grade: ({ file, answer }) =>
    file('alert.txt') === null && /nothing|no value/i.test(answer) ? null : 'alert.txt must not be written',
});
