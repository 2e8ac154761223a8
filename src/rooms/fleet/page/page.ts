/** The fleet: its members, what each of them does, the queue, and the orders that people give. */
import { hasFleet } from '../../../kit/fleet/fleet-overview.ts';
import { definePage } from '../../../kit/web/page.ts';
import { fleetQuery } from './fleet-page-query.ts';

export const fleetPage = definePage({
  name: 'fleet',
  path: '/fleet',
  title: 'Fleet',
  nav: { order: 50, key: 'e', isFor: hasFleet, icon: 'M4 5h16v5H4zM4 14h16v5H4zM7.5 7.5h.01M7.5 16.5h.01' },
  query: fleetQuery,
  intakes: ['fleet'],
  view: new URL('./browser/fleet-view.ts', import.meta.url),
  styles: [new URL('./browser/fleet.css', import.meta.url)],
});
