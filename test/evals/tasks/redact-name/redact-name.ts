import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['public.txt'],
  criteria: (at) => [
    `command: ! grep -qi vogt ${at('public.txt')}`,
    `contains: ${at('public.txt')} "[name]"`,
    'public.txt is the whole statement without the name.',
  ],
  proofs: [/car of \[name\] was not damaged/],
  work: ({ read, write, verify }) => {
    write(
      'public.txt',
      `${read('statement.txt')
        .trim()
        .replaceAll(/Iris Vogt|Ms Vogt|Vogt/g, '[name]')}\n`,
    );
    verify('public.txt');
    return 'public.txt is the statement without the name.';
  },
  grade: ({ file }) =>
    !/vogt/i.test(file('public.txt') ?? 'vogt') && (file('public.txt')?.match(/\[name\]/g) ?? []).length === 3
      ? null
      : 'public.txt has the name, or not the whole statement',
});
