import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'shell'],
  targets: [],
  criteria: () => ['The answer names the day of the week of the review meeting.'],
  proofs: [/Thursday/],
  work: ({ read, shell }) => {
    const date = /review meeting: (\d{4}-\d\d-\d\d)/.exec(read('plan.md'))?.[1] ?? '';
    const day = shell(`LC_ALL=C date -d ${date} +%A`).trim();
    return `The review meeting is on a ${day}.`;
  },
  grade: ({ answer }) =>
    /Thursday/.test(answer) && !/Monday|Tuesday|Wednesday|Friday/.test(answer) ? null : `the answer is "${answer}"`,
});
