/** All parts of the design on one page, in light and dark. It is for whoever changes the dashboard, and nothing leads to it. */
import { z } from 'zod';
import { definePage, defineQuery } from '../../kit/web/page.ts';

export const designPage = definePage({
  name: 'design',
  path: '/design',
  title: 'Design',
  query: defineQuery({
    params: z.object({}),
    answer: z.strictObject({}).describe('It shows no data of the home.'),
    read: () => Promise.resolve({}),
  }),
  intakes: [],
  view: new URL('./browser/design-view.ts', import.meta.url),
  styles: [
    new URL('./browser/design.css', import.meta.url),
    new URL('../../rooms/runs/run-page/browser/run-page.css', import.meta.url),
    new URL('../now/browser/now.css', import.meta.url),
    new URL('../../rooms/figures/page/browser/figures.css', import.meta.url),
    new URL('../../rooms/graphs/graph-page/browser/graph.css', import.meta.url),
  ],
});
