/** Learned: what was learned or forgotten lately, each with how to undo it. */
import { definePage } from '../../../kit/web/page.ts';
import { learnedQuery } from './learned-query.ts';

export const learnedPage = definePage({
  name: 'learned',
  path: '/memory/learned',
  title: 'Recently learned',
  query: learnedQuery,
  intakes: ['take_back', 'forget', 'procedure'],
  view: new URL('./browser/learned-view.ts', import.meta.url),
  styles: [new URL('../../../kit/web/browser/components/memory.css', import.meta.url)],
});
