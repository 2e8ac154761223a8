import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.edit'],
  targets: ['members.txt'],
  criteria: (at) => [`contains: ${at('members.txt')} "Carla"`, 'Carla is in members.txt once.'],
  proofs: [/^(?:content: )?[^]*Carla/m],
  work: ({ read, edit }) => {
    if (read('members.txt').includes('Carla')) return 'Nothing had to be changed: Carla is in members.txt already.';
    edit('members.txt', 'Bert\n', 'Bert\nCarla\n');
    return 'Carla is in members.txt now.';
  },
  grade: ({ file, answer }) =>
    (file('members.txt') ?? 'Anna\nBert\nCarla\n') === 'Anna\nBert\nCarla\n' && /already|nothing/i.test(answer)
      ? null
      : 'it was there already',
});
