import { defineTask } from '../../eval-task.ts';

const rows = Array.from({ length: 5000 }, (_, index) => `M-${index},name ${index},${1990 + (index % 30)}`);
const table = (lines: readonly string[]): string => `member,name,since\n${lines.join('\n')}\n`;

export default {
  ...defineTask(import.meta.dirname, {
    tools: ['files.search', 'files.edit'],
    targets: ['members.csv'],
    criteria: (at) => [`rows: ${at('members.csv')} == 4999`, 'members.csv has no member M-2044.'],
    proofs: [/^-M-2044,name 2044/],
    work: ({ search, edit, wrote, refuse }) => {
      if (!wrote('members.csv') && search('M-2044,', '.').length === 0) refuse('the member is not there');
      edit('members.csv', `${rows[2044]}\n`, '');
      return 'M-2044 is removed.';
    },
    grade: ({ file }) =>
      file('members.csv') === table(rows.filter((_, index) => index !== 2044)) ? null : 'another row is changed',
  }),
  files: new Map([['members.csv', Buffer.from(table(rows))]]),
};
