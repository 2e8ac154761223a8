/** What `oka doctor` reports about the worker: whether it is running. */
import { penHolder } from '../../ledger/pen.ts';
import type { Finding } from '../../schema/finding.ts';
import type { Home } from '../../schema/home.ts';

export function workerFinding({ ledgers }: Home): Finding {
  const owner = penHolder(ledgers.run);
  const found = owner === null ? 'not running' : `process ${owner.pid} on ${owner.host} since ${owner.since}`;
  return { state: 'good', what: 'worker', found };
}
