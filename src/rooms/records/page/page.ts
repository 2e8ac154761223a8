/** Ledger: every event as it was written, and the chain of hashes checked by whoever looks. */
import { definePage } from '../../../kit/web/page.ts';
import { ledgerEventQuery, ledgerHeadQuery, ledgerLinesQuery, ledgerQuery } from './ledger-queries.ts';

export const ledgerPage = definePage({
  name: 'ledger',
  path: '/ledger',
  title: 'Ledger',
  nav: { order: 70, key: 'l', icon: 'M6 4h13v16H7a2 2 0 0 1-2-2V5a1 1 0 0 1 1-1zM5 18a2 2 0 0 1 2-2h12' },
  query: ledgerQuery,
  queries: { 'ledger-event': ledgerEventQuery, 'ledger-lines': ledgerLinesQuery, 'ledger-head': ledgerHeadQuery },
  intakes: [],
  view: new URL('./browser/ledger-view.ts', import.meta.url),
  styles: [new URL('./browser/ledger.css', import.meta.url)],
});
