import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['answer.txt'],
  criteria: (at) => [
    `matches: ${at('answer.txt')} /^\\d+ [\\d.]+\\s*$/`,
    'answer.txt has number and amount of the invoice of Birch Ltd.',
  ],
  proofs: [/^2042 318\.75/],
  work: ({ readAll, write }) => {
    const found = readAll(['invoices/a.md', 'invoices/b.md', 'invoices/c.md']).find((text) =>
      /^To: Birch Ltd$/m.test(text),
    );
    const [, number = ''] = /# Invoice (\d+)/.exec(found ?? '') ?? [];
    const [, amount = ''] = /Amount: ([\d.]+)/.exec(found ?? '') ?? [];
    write('answer.txt', `${number} ${amount}\n`);
    return `Invoice ${number} of Birch Ltd amounts to ${amount}.`;
  },
  grade: ({ file }) => (file('answer.txt')?.trim() === '2042 318.75' ? null : 'it is another invoice'),
});
