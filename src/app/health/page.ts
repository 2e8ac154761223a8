/** Health: what works, what does not and how to mend it; where commands went; what takes how much of the disk. */
import { definePage } from '../../kit/web/page.ts';
import { egressQuery } from './egress-query.ts';
import { diskQuery, findingsQuery, healthQuery } from './health-queries.ts';

export const healthPage = definePage({
  name: 'health',
  path: '/health',
  title: 'Health',
  nav: { order: 80, key: 'h', icon: 'M3 12h4l3-7 4 14 3-7h4' },
  query: healthQuery,
  queries: { findings: findingsQuery, disk: diskQuery, egress: egressQuery },
  intakes: [],
  view: new URL('./browser/health-view.ts', import.meta.url),
  styles: [new URL('./browser/health.css', import.meta.url)],
});
