import { existsSync } from 'node:fs';
import { loadConfig } from '../../daemon/settings.ts';
import { rebuildStores } from '../../daemon/stores.ts';
import { type Call, exits } from '../command.ts';
import { count } from '../plain-text.ts';

export async function run({ home, json, out, signal }: Call): Promise<number> {
  const config = await loadConfig(home);
  const results = [];
  if (existsSync(home.ledgers.run))
    results.push({ ledger: 'run_ledger', ...(await rebuildStores(home, config, 'run')) });
  if (existsSync(home.ledgers.maintenance)) {
    const { rebuildMaintenance } = await import('../../daemon/maintain/rebuild.ts');
    results.push({ ledger: 'maintenance_ledger', ...(await rebuildMaintenance(home, config, signal)) });
  }
  if (json) out(`${JSON.stringify({ rebuilt: results })}\n`);
  else if (results.length === 0) out('There is no ledger yet; nothing to rebuild.\n');
  else
    for (const { ledger, events, files } of results)
      out(`${ledger}: ${count(events, 'event')} folded again${files.map((file) => `\n  .oka/${file}`).join('')}\n`);
  return exits.ok;
}
