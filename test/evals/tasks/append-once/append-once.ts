import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['shell'],
  targets: ['log.txt'],
  criteria: (at) => [
    `contains: ${at('log.txt')} "2026-03-02 backup checked"`,
    'log.txt has the new line once, at its end.',
  ],
  proofs: [/2026-03-02 backup checked/],
  work: ({ at, shell }) => {
    const shown = shell(`echo "2026-03-02 backup checked" >> ${at('log.txt')}; grep -c 2026-03-02 ${at('log.txt')}`);
    return `The line is in log.txt ${shown.trim() === '1' ? 'once' : 'more than once'}.`;
  },
  grade: ({ file }) =>
    file('log.txt') === '2026-03-01 backup checked\n2026-03-02 backup checked\n' ? null : 'log.txt is wrong',
});
