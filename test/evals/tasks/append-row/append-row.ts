import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['shell'],
  targets: ['orders.csv'],
  criteria: (at) => [`rows: ${at('orders.csv')} == 3`, 'The last row of orders.csv is the order 1004.'],
  proofs: [/1004,Ben,lamp,3/],
  work: ({ at, shell }) => {
    const shown = shell(`echo "1004,Ben,lamp,3" >> ${at('orders.csv')} && tail -n 1 ${at('orders.csv')}`);
    return `The last row is ${shown.trim()}.`;
  },
  grade: ({ file }) =>
    file('orders.csv') === 'order,who,what,count\n1002,Ada,desk,1\n1003,Eva,lamp,2\n1004,Ben,lamp,3\n'
      ? null
      : 'orders.csv is wrong',
});
