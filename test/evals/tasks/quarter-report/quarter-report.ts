import { defineTask } from '../../eval-task.ts';
import { parseRows, sumOf } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['report.md'],
  criteria: (at) => [
    `contains: ${at('report.md')} "# First quarter"`,
    `matches: ${at('report.md')} /^Total: \\d+$/m`,
    'report.md has the total of each month, the sum and the best month.',
  ],
  proofs: [/Best month: March/],
  work: ({ at, readAll, write, verify, compute }) => {
    const months = ['January', 'February', 'March'];
    const texts = readAll(months.map((month) => `${month.toLowerCase()}.csv`));
    const sums = texts.map((text) => sumOf(parseRows(text), 'amount'));
    const lines = months.map((month, index) => `- ${month}: ${sums[index]}`);
    const best = months[sums.indexOf(Math.max(...sums))];
    const total = sums.reduce((a, b) => a + b, 0);
    write('report.md', `# First quarter\n\n${lines.join('\n')}\n\nTotal: ${total}\nBest month: ${best}\n`);
    verify('report.md');
    const files = months.map((month) => at(`${month.toLowerCase()}.csv`)).join(' ');
    compute(
      `${sums.join(' ')} ${total}`,
      `awk -F, 'FNR==1 {f++; next} {m[f]+=$2; s+=$2} END {print m[1], m[2], m[3], s}' ${files}`,
    );
    return `The first quarter adds up to ${total}; the best month was ${best}.`;
  },
  grade: ({ file }) => {
    const text = file('report.md') ?? '';
    const wanted = [
      '# First quarter',
      '- January: 60',
      '- February: 45',
      '- March: 105',
      'Total: 210',
      'Best month: March',
    ];
    return wanted.find((line) => !text.split('\n').includes(line)) ?? null;
  },
});
