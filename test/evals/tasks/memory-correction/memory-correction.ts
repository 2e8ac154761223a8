import { defineTask, earlierTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  earlier: [
    earlierTask('door-code', 'Remember this: the door code of the office is 2580.', {
      tools: ['memory.note'],
      work: ({ note }) => {
        note('The door code of the office is 2580.');
        return 'Noted.';
      },
    }),
    earlierTask('new-door-code', 'Remember this: the door code of the office has changed, it is 9034 now.', {
      tools: ['memory.note'],
      work: ({ note }) => {
        note('The door code of the office is 9034 now.');
        return 'Noted.';
      },
    }),
  ],
  tools: ['memory.search'],
  targets: [],
  criteria: () => ['The answer is the door code that is valid now.'],
  proofs: [/9034/],
  work: ({ lookUp, refuse }) => {
    const codes = lookUp('door code of the office').match(/\b\d{4}\b now/g) ?? refuse('The door code is not known.');
    return `The door code is ${codes[0]?.slice(0, 4)}.`;
  },
  grade: ({ answer }) => (/9034/.test(answer) && !/2580/.test(answer) ? null : `the answer is "${answer}"`),
});
