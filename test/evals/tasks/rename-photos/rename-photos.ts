import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.list', 'files.move'],
  targets: ['photos/**'],
  criteria: (at) => [
    `file: ${at('photos/2026-03-14_0012.txt')}`,
    `file: ${at('photos/IMG_20260314_0012.txt')} is absent`,
    `unchanged: ${at('notes.md')}`,
  ],
  proofs: [/photos\/2026-03-14_0013\.txt/],
  work: ({ list, move }) => {
    const names = list('photos').filter((name) => name.startsWith('IMG_'));
    for (const name of names) {
      const [, year, month, day, rest] = /^IMG_(\d{4})(\d\d)(\d\d)_(.*)$/.exec(name) ?? [];
      move(`photos/${name}`, `photos/${year}-${month}-${day}_${rest}`);
    }
    return 'The four photos have their date as name.';
  },
  grade: ({ names }) =>
    names('photos').join(' ') === '2025-12-31_0001.txt 2026-03-14_0012.txt 2026-03-14_0013.txt 2026-04-02_0020.txt'
      ? null
      : `photos/ contains ${names('photos').join(' ')}`,
});
