import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['usd.txt'],
  criteria: (at) => [
    `matches: ${at('usd.txt')} /^\\d+\\.\\d\\d/`,
    'usd.txt has the amount by the rate of the day of the order.',
  ],
  proofs: [/^273\.00/],
  work: ({ at, readAll, write, compute }) => {
    const [order = '', rates = ''] = readAll(['order.txt', 'rates.csv']);
    const [, day = '', amount = ''] = /on (\S+): ([\d.]+)/.exec(order) ?? [];
    const rate = Number(parseRows(rates).find((row) => row['day'] === day)?.['usd_per_eur']);
    const usd = (Number(amount) * rate).toFixed(2);
    write('usd.txt', `${usd}\n`);
    compute(usd, `awk -F, '$1=="${day}" {printf "%.2f", ${amount}*$2}' ${at('rates.csv')}`);
    return `The order is ${usd} USD by the rate of ${day}.`;
  },
  grade: ({ file }) => (file('usd.txt')?.trim() === '273.00' ? null : 'it is another rate'),
});
