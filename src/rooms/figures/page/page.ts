/** Figures: how well it goes, what it costs, and the runs behind every number. */
import { definePage } from '../../../kit/web/page.ts';
import { figureRunsQuery, figuresQuery } from './figure-queries.ts';
import { spendDayQuery, spendRunQuery } from './spend-queries.ts';

export const figuresPage = definePage({
  name: 'figures',
  path: '/figures',
  title: 'Figures',
  nav: { order: 60, key: 'f', icon: 'M5 20v-7M12 20V4M19 20v-11' },
  query: figuresQuery,
  queries: { 'figure-runs': figureRunsQuery, 'spend-day': spendDayQuery, 'spend-run': spendRunQuery },
  intakes: [],
  view: new URL('./browser/figures-view.ts', import.meta.url),
  styles: [new URL('./browser/figures.css', import.meta.url)],
});
