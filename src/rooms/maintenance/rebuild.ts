/**
 * Deletes what follows from the ledgers, what was learned and the pages, and makes it again.
 * What people wrote on pages and nobody has recorded yet is recorded first: it would be lost with them.
 */
import type { Config } from '../../core/schema/config.ts';
import type { Home } from '../../core/schema/home.ts';
import { openMaintenance, type MaintenanceOverrides } from './open-maintenance.ts';
import { runPass, readNewEvents, writePages } from './pass.ts';

export async function rebuildMaintenance(
  home: Home,
  config: Config,
  signal: AbortSignal,
  overrides: MaintenanceOverrides = {},
): Promise<{ events: number; files: string[] }> {
  const m = await openMaintenance(home, config, overrides);
  try {
    await runPass(m, signal, { isConcluding: false });
    m.restart();
    await readNewEvents(m, signal);
    const pages = await writePages(m, signal);
    return { events: m.ledger.end.seq, files: ['maintenance/books.sqlite', ...pages] };
  } finally {
    await m.close();
  }
}
