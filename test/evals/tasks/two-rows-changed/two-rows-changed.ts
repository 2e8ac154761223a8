import { defineTask } from '../../eval-task.ts';

const rows = Array.from({ length: 5000 }, (_, index) => `P-${index},item ${index},${20 + (index % 50)}`);
const table = (lines: readonly string[]): string => `article,name,price\n${lines.join('\n')}\n`;

export default {
  ...defineTask(import.meta.dirname, {
    tools: ['files.search', 'files.edit'],
    targets: ['prices.csv'],
    criteria: (at) => [`rows: ${at('prices.csv')} == 5000`, 'prices.csv has the new prices of P-17 and P-4711.'],
    proofs: [/P-4711,item 4711,12/],
    work: ({ search, edit, wrote, refuse }) => {
      if (!wrote('prices.csv') && search('P-4711,', '.').length === 0) refuse('the article is not there');
      edit('prices.csv', rows[17] ?? '', 'P-17,item 17,9');
      edit('prices.csv', rows[4711] ?? '', 'P-4711,item 4711,12');
      return 'P-17 costs 9 and P-4711 costs 12 now.';
    },
    grade: ({ file }) =>
      file('prices.csv') === table(rows.with(17, 'P-17,item 17,9').with(4711, 'P-4711,item 4711,12'))
        ? null
        : 'the prices are wrong',
  }),
  files: new Map([['prices.csv', Buffer.from(table(rows))]]),
};
