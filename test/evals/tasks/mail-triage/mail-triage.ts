import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.list', 'files.read', 'files.write'],
  targets: ['triage.csv'],
  criteria: (at) => [`rows: ${at('triage.csv')} == 13`, 'triage.csv names every mail with its class.'],
  proofs: [/01\.eml,invoice/],
  work: ({ list, readAll, write, verify }) => {
    const names = list('mail');
    const texts = readAll(names.map((name) => `mail/${name}`));
    const rows = texts.map((text, index) => {
      const kind = /^Subject: .*invoice/im.test(text)
        ? 'invoice'
        : /^From: Newsletter/m.test(text)
          ? 'newsletter'
          : 'personal';
      return `${names[index]},${kind}`;
    });
    write('triage.csv', `file,class\n${rows.join('\n')}\n`);
    verify('triage.csv');
    return 'The 13 mails are sorted in triage.csv.';
  },
  grade: ({ file }) => {
    const wanted = 'ipnpiinppipnp'
      .split('')
      .map((letter) => ({ i: 'invoice', p: 'personal', n: 'newsletter' })[letter]);
    const rows = (file('triage.csv') ?? '').trim().split('\n').slice(1);
    return rows.length === 13 && rows.every((row, index) => row.endsWith(`,${wanted[index]}`)) ? null : 'wrong classes';
  },
});
