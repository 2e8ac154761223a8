import { defineTask, earlierTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  earlier: [
    earlierTask('preference', 'Remember this: I prefer dates as DD.MM.YYYY, such as 31.12.2026.', {
      tools: ['memory.note'],
      work: ({ note }) => {
        note('The operator prefers dates as DD.MM.YYYY, such as 31.12.2026.');
        return 'Noted: dates as DD.MM.YYYY.';
      },
    }),
  ],
  tools: ['files.read', 'files.write', 'memory.search'],
  targets: ['date.txt'],
  criteria: (at) => [
    `file: ${at('date.txt')} is not empty`,
    'date.txt has the date of the party in the preferred format.',
  ],
  proofs: [/18\.07\.2026/],
  work: ({ read, write, verify, recall, refuse }) => {
    const [, year, month, day] = /(\d{4})-(\d\d)-(\d\d)/.exec(read('party.txt')) ?? [];
    const format = recall(/DD\.MM\.YYYY/, 'preferred format of dates') ?? refuse('The preferred format is not known.');
    write(
      'date.txt',
      `${format
        .replace('DD', day ?? '')
        .replace('MM', month ?? '')
        .replace('YYYY', year ?? '')}\n`,
    );
    verify('date.txt');
    return 'The date is in date.txt, as DD.MM.YYYY.';
  },
  grade: ({ file }) => (file('date.txt')?.trim() === '18.07.2026' ? null : 'the date is not 18.07.2026'),
});
