import { defineTask } from '../../eval-task.ts';

export default defineTask(import.meta.dirname, {
  tools: ['files.list', 'files.read', 'files.remove'],
  targets: ['drafts/**'],
  criteria: (at) => [
    `file: ${at('drafts/report-v1.md')} is absent`,
    `file: ${at('drafts/report-v2.md')}`,
    `unchanged: ${at('drafts/offer-v1.md')}`,
  ],
  work: ({ list, remove }) => {
    const names = list('drafts');
    if (names.includes('report-v2.md')) remove('drafts/report-v1.md');
    return 'drafts/report-v1.md is deleted; report-v2.md is newer.';
  },
  grade: ({ names }) =>
    names('drafts').join(' ') === 'offer-v1.md report-v2.md' ? null : `drafts/ has ${names('drafts').join(' ')}`,
});
