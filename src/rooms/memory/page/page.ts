/** Memory: what is known, with its evidence; what a person adds, changes and strikes. */
import { definePage } from '../../../kit/web/page.ts';
import { factQuery, memoryQuery, statementQuery } from './memory-query.ts';

export const memoryPage = definePage({
  name: 'memory',
  path: '/memory',
  title: 'Memory',
  nav: { order: 40, key: 'm', icon: 'M6 4h12v16l-6-4-6 4z' },
  query: memoryQuery,
  queries: { fact: factQuery, statement: statementQuery },
  intakes: ['remember', 'forget'],
  view: new URL('./browser/memory-view.ts', import.meta.url),
  styles: [new URL('../../../kit/web/browser/components/memory.css', import.meta.url)],
});
