import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['links.txt'],
  criteria: (at) => [`lacks: ${at('links.txt')} "http://"`],
  proofs: [/https:\/\/example\.org\/a/],
  work: ({ read, refuse }) => {
    const links = read('links.txt');
    if (links.includes('http://')) refuse('there is something to do');
    return 'Nothing had to be changed: https://example.org/a and the other link use https already.';
  },
  grade: ({ file, answer }) => {
    const links = file('links.txt');
    if (links !== null && links !== 'https://example.org/a\nhttps://example.org/b\n') return 'links.txt was changed';
    return /nothing|already/i.test(answer) ? null : 'the answer does not say that nothing had to be done';
  },
});
