/** One procedure: what it does, why it is used or not, and the tasks behind that. */
import { definePage } from '../../../kit/web/page.ts';
import { procedureQuery } from './procedure-query.ts';

export const procedurePage = definePage({
  name: 'procedure',
  path: '/memory/procedures/:procedure',
  title: 'Procedure',
  query: procedureQuery,
  intakes: ['procedure'],
  view: new URL('./browser/procedure-view.ts', import.meta.url),
  styles: [new URL('../../../kit/web/browser/components/memory.css', import.meta.url)],
});
