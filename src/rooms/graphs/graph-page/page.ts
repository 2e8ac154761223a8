/** One graph: its picture, problems, runs, versions, state and times; it is edited and run here. */
import { definePage } from '../../../kit/web/page.ts';
import { graphCheckQuery } from './check-query.ts';
import { graphQuery, graphSchemaQuery, graphVersionQuery } from './graph-query.ts';

export const graphPage = definePage({
  name: 'graph',
  path: '/graphs/:graph',
  title: 'Graph',
  query: graphQuery,
  queries: { 'graph-check': graphCheckQuery, 'graph-schema': graphSchemaQuery, 'graph-version': graphVersionQuery },
  intakes: ['write_graph', 'run_graph', 'state'],
  view: new URL('./browser/graph-view.ts', import.meta.url),
  styles: [new URL('./browser/graph.css', import.meta.url)],
});
