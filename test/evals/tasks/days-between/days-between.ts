import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['days.txt'],
  criteria: (at) => [`matches: ${at('days.txt')} /^\\d+\\s*$/`, 'days.txt has the number of days of the trip.'],
  proofs: [/^(content: )?33$/],
  work: ({ read, write, verify, compute }) => {
    const [from = '', to = ''] = read('trip.txt').match(/\d{4}-\d\d-\d\d/g) ?? [];
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000;
    write('days.txt', `${days}\n`);
    verify('days.txt');
    compute(`${days}`, `echo $(( ($(date -ud ${to} +%s) - $(date -ud ${from} +%s)) / 86400 ))`);
    return `The trip takes ${days} days.`;
  },
  grade: ({ file }) => (file('days.txt')?.trim() === '33' ? null : 'it is not 33 days'),
});
