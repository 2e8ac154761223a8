import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['due.txt'],
  criteria: (at) => [`matches: ${at('due.txt')} /^\\d+\\s*$/`, 'due.txt has what is still due on invoice 2026-118.'],
  proofs: [/^(content: )?250$/],
  work: ({ at, readAll, write, compute }) => {
    const [invoices = '', payments = ''] = readAll(['invoices.csv', 'payments.csv']);
    const amount = Number(parseRows(invoices).find((row) => row['invoice'] === '2026-118')?.['amount']);
    const paid = parseRows(payments)
      .filter((row) => row['invoice'] === '2026-118')
      .reduce((sum, row) => sum + Number(row['paid']), 0);
    write('due.txt', `${amount - paid}\n`);
    compute(
      `${amount - paid}`,
      `awk -F, '$1=="2026-118" {s+=FNR==NR?$2:-$2} END {print s}' ${at('invoices.csv')} ${at('payments.csv')}`,
    );
    return `${amount - paid} is due.`;
  },
  grade: ({ file }) => (file('due.txt')?.trim() === '250' ? null : 'it is 250'),
});
