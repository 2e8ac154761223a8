import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.list', 'files.read'],
  targets: [],
  criteria: () => ['The answer names the sender who needs an answer first, and the date.'],
  proofs: [/confirm by 29 May/],
  work: ({ list, readAll }) => {
    const names = list('mail');
    const texts = readAll(names.map((name) => `mail/${name}`));
    const mail = texts.find((text) => text.includes('by 29 May')) ?? '';
    return `${/^From: (.*)$/m.exec(mail)?.[1]} needs an answer first, by 29 May.`;
  },
  grade: ({ answer }) => (/Rossi/.test(answer) && /29 May/.test(answer) ? null : `the answer is "${answer}"`),
});
