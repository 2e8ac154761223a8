import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['oldest.txt'],
  criteria: (at) => [`rows: ${at('oldest.txt')} == 1`, 'oldest.txt has the number of the oldest open ticket.'],
  proofs: [/^(content: )?44$/],
  work: ({ at, read, write, compute }) => {
    const [oldest] = parseRows(read('tickets.csv'))
      .filter((row) => row['state'] === 'open')
      .toSorted((a, b) => ((a['opened'] ?? '') < (b['opened'] ?? '') ? -1 : 1));
    const ticket = oldest?.['ticket'] ?? '';
    write('oldest.txt', `${ticket}\n`);
    compute(ticket, `grep ',open' ${at('tickets.csv')} | grep -v opened | sort -t, -k2 | head -1 | cut -d, -f1`);
    return `The oldest open ticket is ${ticket}.`;
  },
  grade: ({ file }) => (file('oldest.txt')?.trim() === '44' ? null : 'it is 44'),
});
