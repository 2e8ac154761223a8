import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read'],
  targets: [],
  criteria: () => ['The answer names the time of the reading that cannot be right.'],
  proofs: [/13:00,-412/],
  work: ({ read }) => {
    const odd = parseRows(read('readings.csv')).find(({ celsius }) => Number(celsius) < -273.15);
    return `The reading at ${odd?.['time']} cannot be right: ${odd?.['celsius']} °C is below absolute zero.`;
  },
  grade: ({ answer }) => (answer.includes('13:00') ? null : `the answer is "${answer}"`),
});
