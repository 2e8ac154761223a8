/** What the ledger contributes: the task graph, and what `oka doctor` reports about both ledgers. */
import { defineRoom } from '../schema/room.ts';

export const ledger = defineRoom({
  name: 'core/ledger',
  events: ['ledger.repaired', 'ledger.rolled_back', 'ledger.disk_full', 'ledger.disk_freed', 'ledger.archived'],
  projections: async () => [(await import('./task-graph.ts')).taskGraph],
  findings: async (home, { isDeep }) => (await import('./ledger-findings.ts')).ledgerFindings(home, isDeep),
});
