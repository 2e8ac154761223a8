/** Schedules: what runs by itself, when next, and what happened at the last times. */
import { definePage } from '../../../kit/web/page.ts';
import { backfillQuery, schedulesQuery } from './schedules-query.ts';

export const schedulesPage = definePage({
  name: 'schedules',
  path: '/schedules',
  title: 'Schedules',
  nav: { order: 35, key: 's', icon: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7.5V12l3 2', isOnPhone: true },
  query: schedulesQuery,
  queries: { 'backfill-preview': backfillQuery },
  intakes: ['schedule'],
  view: new URL('./browser/schedules-view.ts', import.meta.url),
  styles: [new URL('./browser/schedules.css', import.meta.url)],
});
