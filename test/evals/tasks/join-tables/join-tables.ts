import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['orders-with-city.csv'],
  criteria: (at) => [
    `rows: ${at('orders-with-city.csv')} == 4`,
    `contains: ${at('orders-with-city.csv')} "?,?"`,
    'orders-with-city.csv has every order with its customer.',
  ],
  proofs: [/^(content: )?4,Ada,Oslo/],
  work: ({ readAll, write, verify }) => {
    const [orders = '', customers = ''] = readAll(['orders.csv', 'customers.csv']);
    const known = new Map(parseRows(customers).map((row) => [row['id'], row]));
    const lines = parseRows(orders).map(({ order, customer }) => {
      const found = known.get(customer);
      return `${order},${found?.['name'] ?? '?'},${found?.['city'] ?? '?'}`;
    });
    write('orders-with-city.csv', `order,name,city\n${lines.join('\n')}\n`);
    verify('orders-with-city.csv');
    return 'The four orders are in orders-with-city.csv; one customer is unknown.';
  },
  grade: ({ file }) =>
    file('orders-with-city.csv')?.trim() === 'order,name,city\n1,Ada,Oslo\n2,Ben,Riga\n3,?,?\n4,Ada,Oslo'
      ? null
      : 'the join is wrong',
});
