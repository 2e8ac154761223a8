import { defineTask } from '../../eval-task.ts';
import { pdfText } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['shell', 'files.write', 'files.read'],
  targets: ['invoice.json'],
  criteria: (at) => [
    `json: ${at('invoice.json')} total > 0`,
    'invoice.json has the number and the total of invoice.pdf.',
  ],
  proofs: [/"number": ?"R-2026-118"/],
  work: ({ at, shell, write, verify }) => {
    const text = shell(pdfText(at('invoice.pdf')));
    const number = /Invoice no\. (\S+)/.exec(text)?.[1] ?? '';
    const total = /Total: ([\d.]+)/.exec(text)?.[1] ?? '';
    write('invoice.json', `{"number": "${number}", "total": ${total}}\n`);
    verify('invoice.json');
    return `Invoice ${number} is over ${total}.`;
  },
  grade: ({ file }) =>
    /"number": ?"R-2026-118"/.test(file('invoice.json') ?? '') && /"total": ?1249\.5/.test(file('invoice.json') ?? '')
      ? null
      : 'invoice.json is wrong',
});
