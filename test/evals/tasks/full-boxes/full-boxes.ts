import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['boxes.txt'],
  criteria: (at) => [`matches: ${at('boxes.txt')} /^\\d+\\s*$/`, 'boxes.txt has the number of full boxes.'],
  proofs: [/^(content: )?7$/],
  work: ({ at, read, write, compute }) => {
    const bottles = parseRows(read('bottles.csv')).reduce((sum, { count }) => sum + Number(count), 0);
    const boxes = Math.floor(bottles / 12);
    write('boxes.txt', `${boxes}\n`);
    compute(`${boxes}`, `awk -F, 'NR>1 {s+=$2} END {print int(s/12)}' ${at('bottles.csv')}`);
    return `${boxes} boxes are full.`;
  },
  grade: ({ file }) => (file('boxes.txt')?.trim() === '7' ? null : 'it is 7, rounded down'),
});
