import { defineTask } from '../../eval-task.ts';

const rows = Array.from({ length: 5000 }, (_, index) => `A-${index},part ${index},${(index * 7) % 90}`);
const table = (lines: readonly string[]): string => `article,name,quantity\n${lines.join('\n')}\n`;
const ARTICLE = 3170;

export default {
  ...defineTask(import.meta.dirname, {
    tools: ['files.search', 'files.edit'],
    targets: ['stock.csv'],
    criteria: (at) => [`rows: ${at('stock.csv')} == 5000`, 'The quantity of A-3170 in stock.csv is 12.'],
    proofs: [/A-3170,part 3170,12/],
    work: ({ search, edit, wrote }) => {
      const line = wrote('stock.csv') ? '' : (search('A-3170,', '.')[0] ?? '');
      edit('stock.csv', rows[ARTICLE] ?? line, `A-${ARTICLE},part ${ARTICLE},12`);
      return 'The quantity of A-3170 is 12 now.';
    },
    grade: ({ file }) =>
      file('stock.csv') === table(rows.with(ARTICLE, `A-${ARTICLE},part ${ARTICLE},12`))
        ? null
        : 'another row is changed',
  }),
  files: new Map([['stock.csv', Buffer.from(table(rows))]]),
};
