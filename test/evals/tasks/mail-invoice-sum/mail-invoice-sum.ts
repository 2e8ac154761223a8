import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.list', 'files.read', 'files.write'],
  targets: ['invoices.txt'],
  criteria: (at) => [
    `command: grep -q "^Sum: " ${at('invoices.txt')}`,
    'invoices.txt has the sum of all invoices, without reminders.',
  ],
  proofs: [/Sum: 543\.75 EUR/],
  work: ({ at, list, readAll, write, verify, compute }) => {
    const names = list('mail');
    const texts = readAll(names.map((name) => `mail/${name}`));
    const sum = texts.reduce((total, text) => total + Number(/Amount due: ([\d.]+)/.exec(text)?.[1] ?? 0), 0);
    write('invoices.txt', `Sum: ${sum.toFixed(2)} EUR\n`);
    verify('invoices.txt');
    compute(sum.toFixed(2), `grep -rho 'Amount due: [0-9.]*' ${at('mail')} | awk '{s+=$3} END {printf "%.2f", s}'`);
    return `The invoices add up to ${sum.toFixed(2)} EUR.`;
  },
  grade: ({ file }) => (file('invoices.txt')?.trim() === 'Sum: 543.75 EUR' ? null : 'the sum is not 543.75 EUR'),
});
