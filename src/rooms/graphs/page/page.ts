/** Graphs: every graph of this home, and new ones from templates. */
import { definePage } from '../../../kit/web/page.ts';
import { graphsQuery } from './graphs-query.ts';

export const graphsPage = definePage({
  name: 'graphs',
  path: '/graphs',
  title: 'Graphs',
  nav: { order: 30, key: 'g' },
  query: graphsQuery,
  intakes: [],
  view: new URL('./browser/graphs-view.ts', import.meta.url),
});
