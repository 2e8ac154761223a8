/** Graphs: every graph of this home, and new ones from templates. */
import { definePage } from '../../../kit/web/page.ts';
import { graphsQuery } from './graphs-query.ts';

export const graphsPage = definePage({
  name: 'graphs',
  path: '/graphs',
  title: 'Graphs',
  nav: {
    order: 30,
    key: 'g',
    icon: 'M8 6a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM20 12a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM8 18a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM8 7l8 4M8 17l8-4',
  },
  query: graphsQuery,
  intakes: [],
  view: new URL('./browser/graphs-view.ts', import.meta.url),
});
