import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['over.csv'],
  criteria: (at) => [`rows: ${at('over.csv')} == 2`, 'over.csv has every item that cost more than planned.'],
  proofs: [/flights,75/],
  work: ({ at, readAll, write, verify, compute }) => {
    const [plan = '', actual = ''] = readAll(['plan.csv', 'actual.csv']);
    const costs = new Map(parseRows(actual).map(({ item, amount }) => [item, Number(amount)]));
    const over = parseRows(plan).map(({ item, amount }) => ({ item, by: (costs.get(item) ?? 0) - Number(amount) }));
    const lines = over.filter(({ by }) => by > 0).map(({ item, by }) => `${item},${by}`);
    write('over.csv', `item,over\n${lines.join('\n')}\n`);
    verify('over.csv');
    compute(
      lines.join(' '),
      `awk -F, 'NR==FNR {p[$1]=$2; next} $2>p[$1] && FNR>1 {print $1","$2-p[$1]}' ${at('plan.csv')} ${at('actual.csv')}`,
    );
    return `Over budget: ${lines.join(' and ')}.`;
  },
  grade: ({ file }) => (file('over.csv')?.trim() === 'item,over\nflights,75\nfood,12' ? null : 'over.csv is wrong'),
});
