/** What `oka doctor` reports about the worker: whether it is running, and responds. */
import { penHealth, silenceFinding } from '../../core/ledger/pen-health.ts';
import type { Finding } from '../../core/schema/finding.ts';
import type { Home } from '../../core/schema/home.ts';

const what = 'worker';

export function workerFinding({ ledgers }: Home): Finding {
  const health = penHealth(ledgers.run);
  if (health === null) return { state: 'good', what, found: 'not running' };
  const { holder, silentMs } = health;
  const found = `process ${holder.pid} on ${holder.host} since ${holder.since}`;
  if (silentMs === null) return { state: 'good', what, found };
  return silenceFinding(what, found, holder, silentMs);
}
