import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read'],
  targets: [],
  criteria: () => ['The answer names the article and its cheapest supplier.'],
  proofs: [/Dorn,nut,4/],
  work: ({ at, readAll, compute }) => {
    const [stock = '', offers = ''] = readAll(['stock.csv', 'offers.csv']);
    const [least] = parseRows(stock).toSorted((a, b) => Number(a['count']) - Number(b['count']));
    const [best] = parseRows(offers)
      .filter((row) => row['article'] === least?.['article'])
      .toSorted((a, b) => Number(a['price']) - Number(b['price']));
    compute(best?.['supplier'] ?? '', `grep ',nut,' ${at('offers.csv')} | sort -t, -k3 -n | head -1 | cut -d, -f1`);
    return `We have fewest of ${least?.['article']}; ${best?.['supplier']} sells it cheapest.`;
  },
  grade: ({ answer }) => (/nut/.test(answer) && /Dorn/.test(answer) ? null : 'it is nut, from Dorn'),
});
