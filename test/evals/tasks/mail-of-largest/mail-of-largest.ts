import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['mail.txt'],
  criteria: (at) => [`contains: ${at('mail.txt')} "@example.org"`, 'mail.txt has the address of the customer.'],
  proofs: [/ada@example\.org/],
  work: ({ at, readAll, write, compute }) => {
    const [orders = '', customers = ''] = readAll(['orders.csv', 'customers.csv']);
    const [largest] = parseRows(orders).toSorted((a, b) => Number(b['total']) - Number(a['total']));
    const mail = parseRows(customers).find((row) => row['customer'] === largest?.['customer'])?.['mail'] ?? '';
    write('mail.txt', `${mail}\n`);
    compute(largest?.['customer'] ?? '', `sort -t, -k3 -n ${at('orders.csv')} | tail -1 | cut -d, -f2`);
    return `The largest order came from ${mail}.`;
  },
  grade: ({ file }) => (file('mail.txt')?.trim() === 'ada@example.org' ? null : 'it is Ada'),
});
