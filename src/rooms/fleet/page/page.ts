/** The fleet: its members, what each of them does, the queue, and the orders that people give. */
import { hasFleet } from '../../../kit/fleet/fleet-overview.ts';
import { definePage } from '../../../kit/web/page.ts';
import { fleetQuery } from './fleet-page-query.ts';

export const fleetPage = definePage({
  name: 'fleet',
  path: '/fleet',
  title: 'Fleet',
  nav: { order: 50, key: 'e', isFor: hasFleet },
  query: fleetQuery,
  intakes: ['fleet'],
  view: new URL('./browser/fleet-view.ts', import.meta.url),
  styles: [new URL('./browser/fleet.css', import.meta.url)],
});
