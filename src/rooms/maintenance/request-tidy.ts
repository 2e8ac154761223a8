/** Asks the worker, whose things they are, to archive and remove what is old. What is maintenance's own is done here. */
import { join } from 'node:path';
import { submit } from '../../kit/requests/submit-request.ts';
import { readRequests } from '../../kit/requests/read-requests.ts';
import { archiveRuns } from '../../core/ledger/archive-runs.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { MaintenanceConfig } from '../../core/schema/maintenance.ts';
import type { Maintenance } from './open-maintenance.ts';

const DAY = 24 * 60 * 60_000;
/** What stays of a ledger that is too large. */
const LARGE_DAYS = 7;

/** Asked twice for the same slot it is one request; while one waits, nobody needs another. */
export async function requestTidy(m: Maintenance, slot: string): Promise<void> {
  const { config, home, ledger } = m;
  const folder = join(home.oka, 'intake');
  const waiting = new Set(readRequests(folder).map(({ id }) => kindOf(id)));
  const ledgerBytes = lstatIfPresent(home.ledgers.run)?.size ?? 0;
  for (const intake of requests(config.maintenance, Date.parse(slot), ledgerBytes))
    if (!waiting.has(intake.kind)) submit(folder, intake, `${intake.kind}-${slot.replaceAll(/\D/g, '')}`);
  const { archive_days } = config.maintenance;
  if (archive_days !== null)
    await archiveRuns(ledger, new Date(Date.parse(slot) - archive_days * DAY), config.ledger.segment_mb * 1024 * 1024);
}

/** What is to be done, as the settings say, seen from a moment. */
export function requests(settings: MaintenanceConfig, now: number, ledgerBytes = 0): Intake[] {
  const { archive_mb, artifact_days, outbox_days, outbox_mb } = settings;
  const isLarge = archive_mb !== null && ledgerBytes > archive_mb * 1024 * 1024;
  const archive_days = isLarge ? Math.min(LARGE_DAYS, settings.archive_days ?? LARGE_DAYS) : settings.archive_days;
  const before = (days: number | null): string | null =>
    days === null ? null : new Date(now - days * DAY).toISOString();
  const archived = before(archive_days);
  const tidied = { artifacts: before(artifact_days), outbox: before(outbox_days) };
  const isAnything = tidied.artifacts !== null || tidied.outbox !== null || outbox_mb !== null;
  return [
    ...(archived === null ? [] : [{ kind: 'archive' as const, before: archived }]),
    ...(isAnything ? [{ kind: 'tidy' as const, before: tidied, outbox_mb }] : []),
  ];
}

/** Ids of others are unlike these. */
const kindOf = (id: string): string => /^(archive|tidy)-\d{17}$/.exec(id)?.[1] ?? '';
