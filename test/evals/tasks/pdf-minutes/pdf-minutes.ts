import { defineTask } from '../../eval-task.ts';
import { pdfText } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['shell', 'files.write', 'files.read'],
  targets: ['actions.csv'],
  criteria: (at) => [`rows: ${at('actions.csv')} == 3`, 'actions.csv has every action item of the minutes.'],
  proofs: [/Mia,order chairs,2026-06-20/],
  work: ({ at, shell, write, verify }) => {
    const text = shell(pdfText(at('minutes.pdf')));
    const items = [...text.matchAll(/ACTION (\w+): (.*) by (\S+)/g)].map(
      ([, who, what, due]) => `${who},${what},${due}`,
    );
    write('actions.csv', `who,what,due\n${items.join('\n')}\n`);
    verify('actions.csv');
    return `There are ${items.length} action items.`;
  },
  grade: ({ file }) =>
    file('actions.csv')?.trim() ===
    'who,what,due\nBen,send the offer,2026-06-12\nMia,order chairs,2026-06-20\nAda,book the room,2026-06-11'
      ? null
      : 'actions.csv is wrong',
});
