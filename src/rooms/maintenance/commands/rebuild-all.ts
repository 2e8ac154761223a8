import { existsSync } from 'node:fs';
import { loadRoomsConfig } from '../../../kit/house/room-config.ts';
import { rebuildStores } from '../../../kit/house/stores.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { count } from '../../../kit/cli/plain-text.ts';

type Data = { rebuilt: { ledger: string; events: number; files: string[] }[] };

export async function run({ home, signal, rooms }: Call): Promise<Answer<Data>> {
  const config = await loadRoomsConfig(home, rooms);
  const rebuilt: Data['rebuilt'] = [];
  if (existsSync(home.ledgers.run))
    rebuilt.push({ ledger: 'run_ledger', ...(await rebuildStores(home, config, 'run')) });
  if (existsSync(home.ledgers.maintenance)) {
    const { rebuildMaintenance } = await import('../rebuild.ts');
    rebuilt.push({ ledger: 'maintenance_ledger', ...(await rebuildMaintenance(home, config, signal)) });
  }
  return answer({ rebuilt });
}

export function render({ rebuilt }: Data): string {
  if (rebuilt.length === 0) return 'There is no ledger yet; nothing to rebuild.\n';
  return rebuilt
    .map(({ ledger, events, files }) =>
      [`${ledger}: ${count(events, 'event')} folded again`, ...files.map((file) => `  .oka/${file}`), ''].join('\n'),
    )
    .join('');
}
