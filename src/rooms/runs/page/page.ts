/** Runs: a list of any length with filters, and acts on many of them. */
import { definePage } from '../../../kit/web/page.ts';
import { bulkPreviewQuery, relatedRunsQuery, runsQuery } from './runs-queries.ts';

export const runsPage = definePage({
  name: 'runs',
  path: '/runs',
  title: 'Runs',
  nav: { order: 20, key: 'r', icon: 'M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01', isOnPhone: true },
  query: runsQuery,
  queries: { 'runs-related': relatedRunsQuery, 'runs-bulk-preview': bulkPreviewQuery },
  intakes: ['mark_runs', 'cancel', 'pause', 'resume', 'undo', 'rerun'],
  view: new URL('./browser/runs-view.ts', import.meta.url),
  styles: [new URL('./browser/runs.css', import.meta.url)],
});
