import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['shell', 'files.write'],
  targets: ['errors.txt'],
  criteria: (at) => [`rows: ${at('errors.txt')} == 1`, 'errors.txt has the number of lines with the level ERROR.'],
  proofs: [/^(content: )?3$/],
  work: ({ at, shell, write, compute }) => {
    const command = `awk '$2=="ERROR"' ${at('app.log')} | wc -l`;
    const count = shell(command).trim();
    write('errors.txt', `${count}\n`);
    compute(count, command);
    return `${count} lines have the level ERROR.`;
  },
  grade: ({ file }) => (file('errors.txt')?.trim() === '3' ? null : 'it is 3'),
});
