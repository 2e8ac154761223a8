import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.search', 'files.write', 'files.read'],
  targets: ['todo-count.txt'],
  criteria: (at) => [`matches: ${at('todo-count.txt')} /^\\d+\\s*$/`, 'todo-count.txt has the number of TODO lines.'],
  proofs: [/^(content: )?5$/],
  work: ({ at, search, write, verify, compute }) => {
    const count = search('TODO', 'src').length;
    write('todo-count.txt', `${count}\n`);
    verify('todo-count.txt');
    compute(`${count}`, `grep -rh TODO ${at('src')} | wc -l`);
    return `There are ${count} lines with TODO.`;
  },
  grade: ({ file }) => (file('todo-count.txt')?.trim() === '5' ? null : 'the number is not 5'),
});
