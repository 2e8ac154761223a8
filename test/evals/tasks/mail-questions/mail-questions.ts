import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.list', 'files.read', 'files.write'],
  targets: ['open.txt'],
  criteria: (at) => [`rows: ${at('open.txt')} == 2`, 'open.txt lists the senders with an open question.'],
  proofs: [/Omar Haddad|Sara Lind/],
  work: ({ list, readAll, write, verify }) => {
    const names = list('mail');
    const texts = readAll(names.map((name) => `mail/${name}`));
    const asked = texts.filter((text) => text.split('\n\n')[1]?.includes('?'));
    const senders = asked.map((text) => /^From: (.*)$/m.exec(text)?.[1] ?? '');
    const open = senders.filter((name) => !texts.some((text) => text.includes(name) && text.includes('Never mind')));
    write('open.txt', `${open.toSorted().join('\n')}\n`);
    verify('open.txt');
    return `Open questions: ${open.toSorted().join(', ')}.`;
  },
  grade: ({ file }) => (file('open.txt') === 'Omar Haddad\nSara Lind\n' ? null : 'open.txt is wrong'),
});
