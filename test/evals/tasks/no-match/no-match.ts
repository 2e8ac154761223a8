import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.search'],
  targets: [],
  criteria: () => ['The answer gives the number of Dr. Weber, or says that contacts.csv does not have it.'],
  proofs: [/Weiss|Becker/],
  work: ({ read }) =>
    read('contacts.csv').includes('Weber')
      ? 'It is there.'
      : 'There is no Dr. Weber in contacts.csv, so I have no number.',
  grade: ({ answer }) =>
    /no Dr\. Weber|not in contacts/.test(answer) && !/\d{3}/.test(answer) ? null : `the answer is "${answer}"`,
});
