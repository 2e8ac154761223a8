import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['guests.txt'],
  criteria: (at) => [
    `rows: ${at('guests.txt')} == 6`,
    'Every name is in guests.txt once, in the order of the first time.',
  ],
  proofs: [/Chiara/],
  work: ({ read, write, verify }) => {
    const names = read('guests.txt').trim().split('\n');
    write('guests.txt', `${[...new Set(names)].join('\n')}\n`);
    verify('guests.txt');
    return 'guests.txt has every name once.';
  },
  grade: ({ file }) =>
    file('guests.txt') === 'Ada\nNoor\nBen\nChiara\nTomás\nYuki\n' ? null : 'guests.txt is not what it should be',
});
