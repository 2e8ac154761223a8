import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['next.txt'],
  criteria: (at) => [
    `rows: ${at('next.txt')} == 3`,
    'next.txt lists the next three birthdays after 2026-10-01 in order.',
  ],
  proofs: [/Ravi/],
  work: ({ read, write, verify }) => {
    const people = parseRows(read('birthdays.csv')).map(({ name, born = '' }) => ({ name, day: born.slice(5) }));
    const due = people.map((each) => ({ ...each, next: `${each.day >= '10-01' ? 2026 : 2027}-${each.day}` }));
    const next = due.toSorted((a, b) => a.next.localeCompare(b.next)).slice(0, 3);
    write('next.txt', `${next.map(({ name }) => name).join('\n')}\n`);
    verify('next.txt');
    return `The next birthday is that of ${next[0]?.name}.`;
  },
  grade: ({ file }) => (file('next.txt') === 'Ravi\nLena\nSofia\n' ? null : 'next.txt is wrong'),
});
