import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['median.txt'],
  criteria: (at) => [`matches: ${at('median.txt')} /^\\d+\\s*$/`, 'median.txt has the median of the times.'],
  proofs: [/^(content: )?31$/],
  work: ({ at, read, write, compute }) => {
    const times = read('times.txt').trim().split('\n').map(Number);
    const median = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
    write('median.txt', `${median}\n`);
    compute(`${median}`, `sort -n ${at('times.txt')} | sed -n 3p`);
    return `The median is ${median}.`;
  },
  grade: ({ file }) => (file('median.txt')?.trim() === '31' ? null : 'it is 31'),
});
