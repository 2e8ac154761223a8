import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.list', 'files.read', 'files.write'],
  targets: ['all-notes.md'],
  criteria: (at) => [
    `matches: ${at('all-notes.md')} /## 2026-01-05[^]*## 2026-02-11[^]*## 2026-03-30/`,
    'all-notes.md contains the text of every note, oldest first.',
  ],
  proofs: [/## 2026-01-05/],
  work: ({ list, readAll, write, verify }) => {
    const texts = readAll(list('notes').map((name) => `notes/${name}`));
    const notes = texts.map((text) => {
      const [, date = '', body = ''] = /^date: (\S+)\n([^]*)$/.exec(text) ?? [];
      return { date, body: body.trim() };
    });
    const merged = notes.toSorted((a, b) => a.date.localeCompare(b.date));
    write('all-notes.md', merged.map(({ date, body }) => `## ${date}\n${body}\n`).join('\n'));
    verify('all-notes.md');
    return 'The three notes are in all-notes.md, oldest first.';
  },
  grade: ({ file }) =>
    /## 2026-01-05\nCalled the plumber[^]*## 2026-02-11\nThe new boiler[^]*## 2026-03-30\nFirst service/.test(
      file('all-notes.md') ?? '',
    )
      ? null
      : 'all-notes.md does not have the notes in order',
});
