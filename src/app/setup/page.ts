/** Set-up: choosing a model, or none. */
import { definePage } from '../../kit/web/page.ts';
import { setupQuery } from './setup-query.ts';

export const setupPage = definePage({
  name: 'setup',
  path: '/setup',
  title: 'Set up a model',
  query: setupQuery,
  intakes: [],
  view: new URL('./browser/setup-view.ts', import.meta.url),
  styles: [new URL('./browser/setup.css', import.meta.url)],
});
