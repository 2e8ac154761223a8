import { defineTask } from '../../eval-task.ts';
import { parseRows } from '../../tables.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.read', 'files.write'],
  targets: ['catalogue.txt'],
  criteria: (at) => [
    `lacks: ${at('catalogue.txt')} "Basic"`,
    `contains: ${at('catalogue.txt')} "Start"`,
    'catalogue.txt has every product with its new name.',
  ],
  proofs: [/^(content: )?Extra: 5/],
  work: ({ readAll, write, verify }) => {
    const [mapping = '', catalogue = ''] = readAll(['mapping.csv', 'catalogue.txt']);
    const renamed = parseRows(mapping).reduce(
      (text, row) => text.replaceAll(row['old'] ?? '', row['new'] ?? ''),
      catalogue,
    );
    write('catalogue.txt', `${renamed.trim()}\n`);
    verify('catalogue.txt');
    return 'The products in catalogue.txt have their new names.';
  },
  grade: ({ file }) =>
    file('catalogue.txt') === 'Start: 10\nGrow: 20\nStart: 12 (family)\nExtra: 5\n' ? null : 'catalogue.txt is wrong',
});
