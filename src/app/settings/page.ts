/** Settings: the model, channels, servers, secrets by name, folders and rules, and who may use the dashboard. */
import { definePage } from '../../kit/web/page.ts';
import { classifyQuery, policyQuery } from './policy-queries.ts';
import { pushQuery } from './push-query.ts';
import { secretsQuery } from './secrets-query.ts';
import { rulesPreviewQuery, settingsQuery } from './settings-query.ts';

export const settingsPage = definePage({
  name: 'settings',
  path: '/settings',
  title: 'Settings',
  nav: { order: 90, key: ',', icon: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5' },
  query: settingsQuery,
  queries: {
    policy: policyQuery,
    classify: classifyQuery,
    'rules-preview': rulesPreviewQuery,
    secrets: secretsQuery,
    push: pushQuery,
  },
  intakes: ['push'],
  view: new URL('./browser/settings-view.ts', import.meta.url),
  styles: [new URL('./browser/settings.css', import.meta.url)],
});
