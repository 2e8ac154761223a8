/** What `oka doctor` reports about maintenance: whether it runs, when its last pass was, and what it still has to read. */
import { readProgress } from '../../core/ledger/fold-store.ts';
import { penHealth, silenceFinding } from '../../core/ledger/pen-health.ts';
import { lastSeqOf } from '../../core/ledger/seek.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Finding } from '../../core/schema/finding.ts';
import { loadConfig } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';
import { learningFile } from '../../kit/home/maintenance-folder.ts';

const what = 'maintain';
/** Being so far behind means that something prevents it from reading. */
const FAR_BEHIND = 100_000;

export async function maintenanceFinding(home: Home): Promise<Finding> {
  try {
    const { maintenance } = await loadConfig(home);
    if (maintenance.off) return { state: 'good', what, found: 'off in config.json' };
    const { timesOf } = await import('../../kit/schedule/utc-cron-times.ts');
    timesOf(maintenance.slots.learn, 'maintenance.slots.learn');
    timesOf(maintenance.slots.tidy, 'maintenance.slots.tidy');
    return progressFinding(home);
  } catch (error) {
    const fix = error instanceof OkaError && error.fix !== undefined ? error.fix : 'Correct config.json.';
    return { state: 'bad', what, found: messageOf(error), fix };
  }
}

function progressFinding(home: Home): Finding {
  const health = penHealth(home.ledgers.maintenance);
  const holder = health?.holder ?? null;
  const progress = readProgress(learningFile(home));
  const behind = lastSeqOf(home.ledgers.run) - (progress?.read.run ?? 0);
  const passed = progress?.note('passed');
  const who = holder === null ? 'not running' : `process ${holder.pid} on ${holder.host} since ${holder.since}`;
  const when = typeof passed === 'string' ? `last pass at ${passed}` : 'no pass yet';
  const found = `${who}; ${when}; ${behind > 0 ? `${behind} events behind` : 'nothing left to read'}`;
  if (health !== null && health.silentMs !== null) return silenceFinding(what, who, health.holder, health.silentMs);
  return behind > FAR_BEHIND && holder !== null
    ? { state: 'odd', what, found, fix: 'See what it reports: oka log --pen maintenance' }
    : { state: 'good', what, found };
}
