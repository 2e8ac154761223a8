import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['reply.txt'],
  criteria: (at) => [
    `contains: ${at('reply.txt')} "Dear Elena"`,
    'reply.txt confirms the date and the time of the visit.',
  ],
  proofs: [/3 June at 10:00/],
  work: ({ read, write, verify }) => {
    const when = /visit you on (.*?)\. Please/.exec(read('mail/13.eml'))?.[1] ?? '';
    write('reply.txt', `Dear Elena,\n\nwe are looking forward to your visit on ${when}.\n\nBest regards\n`);
    verify('reply.txt');
    return 'The reply is in reply.txt.';
  },
  grade: ({ file }) =>
    (file('reply.txt') ?? '').startsWith('Dear Elena') &&
    /3 June/.test(file('reply.txt') ?? '') &&
    /10:00/.test(file('reply.txt') ?? '')
      ? null
      : 'the reply does not confirm 3 June at 10:00',
});
