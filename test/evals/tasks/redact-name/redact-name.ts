import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['public.txt'],
  criteria: (at) => [`command: ! grep -qi vogt ${at('public.txt')}`, `contains: ${at('public.txt')} "[name]"`],
  work: ({ read, write }) => {
    write(
      'public.txt',
      `${read('statement.txt')
        .trim()
        .replaceAll(/Iris Vogt|Ms Vogt|Vogt/g, '[name]')}\n`,
    );
    return 'public.txt is the statement without the name.';
  },
  grade: ({ file }) =>
    !/vogt/i.test(file('public.txt') ?? 'vogt') && (file('public.txt')?.match(/\[name\]/g) ?? []).length === 3
      ? null
      : 'public.txt has the name, or not the whole statement',
});
