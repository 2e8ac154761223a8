import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['share.txt'],
  criteria: (at) => [`matches: ${at('share.txt')} /^\\d+\\.\\d\\d\\s*$/`, 'share.txt has a third of all costs.'],
  proofs: [/^164\.56/],
  work: ({ at, read, write, compute }) => {
    const thousandths = read('costs.csv')
      .trim()
      .split('\n')
      .slice(1)
      .reduce((sum, line) => sum + Math.round(Number(line.split(',')[1]) * 1000), 0);
    const share = (Math.floor(thousandths / 30 + 0.5) / 100).toFixed(2);
    write('share.txt', `${share}\n`);
    compute(share, `awk -F, 'NR>1 {s+=$2} END {printf "%.6f", s/3}' ${at('costs.csv')}`);
    return `Each pays ${share}, rounded half up.`;
  },
  grade: ({ file }) => (file('share.txt')?.trim() === '164.56' ? null : 'the share is not 164.56'),
});
