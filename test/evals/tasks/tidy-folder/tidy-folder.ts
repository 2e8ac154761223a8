import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.list', 'files.move', 'files.remove'],
  targets: ['**'],
  criteria: (at) => [
    `file: ${at('logs/app.log')}`,
    `file: ${at('logs/web.log')}`,
    `file: ${at('cache.bak')} is absent`,
    `unchanged: ${at('keep.txt')}`,
  ],
  work: ({ list, move, remove }) => {
    const names = list('.');
    for (const name of names.filter((each) => each.endsWith('.log'))) move(name, `logs/${name}`);
    for (const name of names.filter((each) => each.endsWith('.bak'))) remove(name);
    return 'app.log and web.log are in logs/, the backups are deleted.';
  },
  grade: ({ names, file }) =>
    names('logs').join(' ') === 'app.log web.log' &&
    names('.')
      .filter((name) => name !== 'TASK.md')
      .join(' ') === 'keep.txt logs' &&
    file('keep.txt') === 'keep\n'
      ? null
      : `the folder contains ${names('.').join(' ')}`,
});
