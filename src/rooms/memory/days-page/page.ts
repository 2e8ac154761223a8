/** Days: what happened, day by day. */
import { definePage } from '../../../kit/web/page.ts';
import { daysQuery } from './days-query.ts';

export const daysPage = definePage({
  name: 'days',
  path: '/memory/days',
  title: 'Days',
  query: daysQuery,
  intakes: [],
  view: new URL('./browser/days-view.ts', import.meta.url),
  styles: [new URL('../../../kit/web/browser/components/memory.css', import.meta.url)],
});
