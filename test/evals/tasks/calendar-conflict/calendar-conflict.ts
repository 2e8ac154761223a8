import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['conflict.txt'],
  criteria: (at) => [`rows: ${at('conflict.txt')} == 2`, 'conflict.txt names the two entries that overlap.'],
  proofs: [/Team meeting/],
  work: ({ read, write, verify }) => {
    const events = [...read('week.ics').matchAll(/SUMMARY:(.*)\nDTSTART:\S+T(\d{4})00\nDTEND:\S+T(\d{4})00/g)].map(
      ([, title = '', from = '', to = '']) => ({ title, from, to }),
    );
    const clash = events.filter((a) => events.some((b) => a !== b && a.from < b.to && b.from < a.to));
    write(
      'conflict.txt',
      `${clash
        .map(({ title }) => title)
        .toSorted()
        .join('\n')}\n`,
    );
    verify('conflict.txt');
    return `These overlap: ${clash.map(({ title }) => title).join(' and ')}.`;
  },
  grade: ({ file }) => (file('conflict.txt') === 'Dentist\nTeam meeting\n' ? null : 'conflict.txt is wrong'),
});
