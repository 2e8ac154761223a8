/** Health: what works, what does not and how to mend it; the rules as they are read; secrets by name; where commands went. */
import { definePage } from '../../kit/web/page.ts';
import { diskQuery, findingsQuery, healthQuery } from './health-queries.ts';
import { classifyQuery, policyQuery } from './policy-queries.ts';
import { pushQuery } from './push-query.ts';
import { egressQuery, secretsQuery } from './secret-queries.ts';

export const healthPage = definePage({
  name: 'health',
  path: '/health',
  title: 'Health',
  nav: { order: 80, key: 'h', icon: 'M3 12h4l3-7 4 14 3-7h4' },
  query: healthQuery,
  queries: {
    findings: findingsQuery,
    disk: diskQuery,
    policy: policyQuery,
    classify: classifyQuery,
    secrets: secretsQuery,
    egress: egressQuery,
    push: pushQuery,
  },
  intakes: ['push'],
  view: new URL('./browser/health-view.ts', import.meta.url),
  styles: [new URL('./browser/health.css', import.meta.url)],
});
