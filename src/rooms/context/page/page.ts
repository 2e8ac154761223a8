/** The context tree: what the workspace contains, what is known about it, and what is out of date. */
import { definePage } from '../../../kit/web/page.ts';
import { treeQuery } from './tree-page-query.ts';

export const treePage = definePage({
  name: 'tree',
  path: '/tree',
  title: 'Workspace',
  nav: { order: 45, key: 't', icon: 'M3 7a1 1 0 0 1 1-1h5l2 2h9a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1z' },
  query: treeQuery,
  intakes: ['run_context'],
  view: new URL('./browser/tree-view.ts', import.meta.url),
  styles: [new URL('./browser/tree.css', import.meta.url)],
});
