import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.list', 'files.read', 'files.write'],
  targets: ['index.md'],
  criteria: (at) => [`rows: ${at('index.md')} >= 3`, 'index.md links every document with its title.'],
  proofs: [/\[Apples\]\(docs\/c\.md\)/],
  work: ({ list, readAll, write, verify }) => {
    const names = list('docs');
    const titles = readAll(names.map((name) => `docs/${name}`)).map((text) => /^# (.*)$/m.exec(text)?.[1] ?? '');
    const lines = names.map((name, index) => `- [${titles[index]}](docs/${name})`);
    write('index.md', `${lines.toSorted().join('\n')}\n`);
    verify('index.md');
    return 'index.md lists the three documents.';
  },
  grade: ({ file }) =>
    file('index.md')?.trim() === '- [Apples](docs/c.md)\n- [Pears](docs/a.md)\n- [Quinces](docs/b.md)'
      ? null
      : 'index.md is wrong',
});
