import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.list', 'files.remove'],
  targets: ['drafts/*'],
  criteria: (at) => [`folder: ${at('drafts')} is not empty`],
  proofs: [/one\.txt/],
  work: ({ list }) => {
    const names = list('drafts');
    return `Nothing had to be deleted: none of ${names.toSorted().join(' and ')} is empty.`;
  },
  grade: ({ names, answer }) => {
    const left = names('drafts');
    if (left.length > 0 && left.length !== 2) return 'a file is gone';
    return /nothing|none/i.test(answer) ? null : 'the answer does not say that nothing had to be done';
  },
});
