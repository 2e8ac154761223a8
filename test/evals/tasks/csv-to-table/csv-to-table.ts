import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['stock.md'],
  criteria: (at) => [
    `matches: ${at('stock.md')} /^\\| item \\| count \\|/m`,
    `contains: ${at('stock.md')} "| screws | 400 |"`,
  ],
  proofs: [/\| nails \| 250 \|/],
  work: ({ read, write }) => {
    const [head = [], ...rows] = read('stock.csv')
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const line = (cells: string[]): string => `| ${cells.join(' | ')} |\n`;
    write('stock.md', `${line(head)}${line(head.map(() => '---'))}${rows.map(line).join('')}`);
    return 'The table is in stock.md.';
  },
  grade: ({ file }) =>
    file('stock.md')?.trim() === '| item | count |\n| --- | --- |\n| nails | 250 |\n| screws | 400 |\n| bolts | 35 |'
      ? null
      : 'stock.md is wrong',
});
