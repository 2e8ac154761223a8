import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['red.txt', 'blue.txt'],
  criteria: (at) => [
    `rows: ${at('red.txt')} == 3`,
    `rows: ${at('blue.txt')} == 2`,
    `lacks: ${at('red.txt')} "("`,
    'red.txt lists team red, sorted.',
  ],
  proofs: [/^Zoe$/],
  work: ({ read, write, verify }) => {
    const people = read('people.txt').trim().split('\n');
    for (const team of ['red', 'blue']) {
      const names = people.filter((line) => line.endsWith(`(${team})`)).map((line) => line.split(' (')[0] ?? '');
      write(`${team}.txt`, `${names.toSorted().join('\n')}\n`);
    }
    verify('red.txt');
    return 'red.txt has three names, blue.txt two.';
  },
  grade: ({ file }) =>
    file('red.txt') === 'Ada\nIvo\nZoe\n' && file('blue.txt') === 'Ben\nMia\n' ? null : 'the lists are wrong',
});
