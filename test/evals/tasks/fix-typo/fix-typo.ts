import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.edit'],
  targets: ['letter.md'],
  criteria: (at) => [`contains: ${at('letter.md')} "Nordlicht GmbH"`, `lacks: ${at('letter.md')} "Gmbh"`],
  proofs: [/\+.*Nordlicht GmbH/],
  work: ({ read, edit, verify }) => {
    if (read('letter.md').includes('Nordlicht Gmbh')) edit('letter.md', 'Nordlicht Gmbh', 'Nordlicht GmbH');
    verify('letter.md');
    return 'The name is corrected in letter.md.';
  },
  grade: ({ file }) =>
    file('letter.md') ===
    'Dear Ms Osei,\n\nthank you for your order. Nordlicht GmbH will deliver on 12 May.\nPlease keep gmbh@example.org in copy.\n'
      ? null
      : 'letter.md is not the letter with one word corrected',
});
