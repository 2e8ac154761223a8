import { existsSync } from 'node:fs';
import { loadConfig } from '../../daemon/settings.ts';
import { rebuildStores } from '../../daemon/stores.ts';
import type { Pen } from '../../schema/event.ts';
import { type Call, exits } from '../command.ts';
import { count } from '../terminal.ts';

export async function run({ home, json, out }: Call): Promise<number> {
  const config = await loadConfig(home);
  const results = [];
  for (const pen of ['run', 'maintenance'] as const satisfies Pen[]) {
    if (existsSync(home.ledgers[pen]))
      results.push({ ledger: `${pen}_ledger`, ...(await rebuildStores(home, config, pen)) });
  }
  if (json) out(`${JSON.stringify({ rebuilt: results })}\n`);
  else if (results.length === 0) out('There is no ledger yet; nothing to rebuild.\n');
  else
    for (const { ledger, events, files } of results)
      out(`${ledger}: ${count(events, 'event')} folded again${files.map((file) => `\n  .oka/${file}`).join('')}\n`);
  return exits.ok;
}
