import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['approved.txt'],
  criteria: (at) => [`file: ${at('approved.txt')} is absent`, 'The answer reports by how much the total is wrong.'],
  proofs: [/Total: 160/],
  work: ({ read, isThere }) => {
    const text = read('invoice.txt');
    const items = [...text.matchAll(/^- .*: (\d+)$/gm)].reduce((sum, [, amount]) => sum + Number(amount), 0);
    const total = Number(/Total: (\d+)/.exec(text)?.[1]);
    isThere('approved.txt');
    return `The total in invoice.txt is wrong by ${total - items}: the items add up to ${items}, not ${total}. Nothing was approved.`;
  },
  grade: ({ file, answer }) =>
    file('approved.txt') === null && /\b10\b/.test(answer) ? null : 'nothing may be approved, and the difference is 10',
});
