import { expect, it } from 'vitest';
import { documentStepInput } from '../../../src/kit/task/document-step.ts';

it.each([
  ['oka read report.pdf', '', { path: 'report.pdf' }],
  ['oka read report.pdf --pages 1-3\n', 'in', { path: 'in/report.pdf', pages: '1-3' }],
  [
    `oka read --sheet "Sums of May" 'my table.xlsx' --range=A1:B2 --json`,
    '',
    { path: 'my table.xlsx', sheet: 'Sums of May', range: 'A1:B2' },
  ],
])('%s reads a document', (code, dir, input) => {
  expect(documentStepInput(code, dir)).toEqual(input);
});

it.each([
  'oka read',
  'oka status',
  'oka read a.pdf > a.txt',
  'oka read a.pdf | head',
  'oka read $FILE',
  'oka read "{{last}}"',
  'oka read a.pdf b.pdf',
  'oka read a.pdf --dir /',
  'oka read a.pdf\nls',
  'cat a.pdf',
])('%s stays a command', (code) => {
  expect(documentStepInput(code, '')).toBeNull();
});
