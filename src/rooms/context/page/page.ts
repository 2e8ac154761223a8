/** The context tree: what the workspace contains, what is known about it, and what is out of date. */
import { definePage } from '../../../kit/web/page.ts';
import { treeQuery } from './tree-page-query.ts';

export const treePage = definePage({
  name: 'tree',
  path: '/tree',
  title: 'What is known of the files',
  query: treeQuery,
  intakes: ['run_context'],
  view: new URL('./browser/tree-view.ts', import.meta.url),
  styles: [new URL('./browser/tree.css', import.meta.url)],
});
