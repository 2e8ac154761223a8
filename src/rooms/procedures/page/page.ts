/** Procedures: what was learned from runs and is done without planning, or may be one day. */
import { definePage } from '../../../kit/web/page.ts';
import { proceduresQuery } from './procedures-query.ts';

export const proceduresPage = definePage({
  name: 'procedures',
  path: '/memory/procedures',
  title: 'Procedures',
  query: proceduresQuery,
  intakes: [],
  view: new URL('./browser/procedures-view.ts', import.meta.url),
  styles: [new URL('../../../kit/web/browser/components/memory.css', import.meta.url)],
});
