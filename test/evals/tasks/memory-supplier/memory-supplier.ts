import { defineTask, earlierTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  earlier: [
    earlierTask(
      'supplier',
      'Remember this: our paper supplier is Brandt & Sons. Our customer number there is 4711-B.',
      {
        tools: ['memory.note'],
        work: ({ note }) => {
          note('The paper supplier is Brandt & Sons; the customer number there is 4711-B.');
          return 'Noted.';
        },
      },
    ),
  ],
  tools: ['files.write', 'files.read', 'memory.search'],
  targets: ['order.txt'],
  criteria: (at) => [
    `contains: ${at('order.txt')} "20 boxes"`,
    'order.txt names the supplier and the customer number.',
  ],
  proofs: [/4711-B/],
  work: ({ write, verify, recall, refuse }) => {
    const number = recall(/4711-B/, 'customer number paper supplier') ?? refuse('The supplier is not known.');
    write('order.txt', `To Brandt & Sons, customer number ${number}:\nPlease send us 20 boxes of paper.\n`);
    verify('order.txt');
    return 'The order is in order.txt.';
  },
  grade: ({ file }) =>
    ['Brandt & Sons', '4711-B', '20 boxes'].every((each) => file('order.txt')?.includes(each))
      ? null
      : 'order.txt is wrong',
});
