import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.list', 'files.read', 'files.search'],
  targets: [],
  criteria: () => ['The answer names the contract that can be cancelled monthly.'],
  proofs: [/cancelled at the end of every month/],
  work: ({ list, readAll }) => {
    const names = list('contracts');
    const texts = readAll(names.map((name) => `contracts/${name}`));
    const index = texts.findIndex((text) => text.includes('end of every month'));
    return `The contract that can be cancelled monthly is ${names[index]}.`;
  },
  grade: ({ answer }) =>
    answer.includes('internet.txt') && !/phone|gym/.test(answer) ? null : `the answer is "${answer}"`,
});
