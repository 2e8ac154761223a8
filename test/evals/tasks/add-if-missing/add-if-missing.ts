import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['list.txt'],
  criteria: (at) => [`contains: ${at('list.txt')} "dora@example.org"`, 'list.txt has every address once.'],
  proofs: [/dora@example\.org/],
  work: ({ read, write, wrote }) => {
    if (!wrote('list.txt')) {
      const list = read('list.txt').trim();
      if (list.includes('dora@')) return 'She is there already.';
      write('list.txt', `${list}\ndora@example.org\n`);
    }
    return 'dora@example.org is in list.txt now.';
  },
  grade: ({ file }) =>
    file('list.txt') === 'ada@example.org\nben@example.org\ndora@example.org\n' ? null : 'list.txt is wrong',
});
