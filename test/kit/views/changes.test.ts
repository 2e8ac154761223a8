import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import { changes, knownNow } from '../../../src/kit/views/changes.ts';
import { temporaryFolder } from '../../support/cli.ts';

const noted = (reason: string) =>
  ({
    type: 'slot.came',
    data: { job: 'learn', slot: '2026-01-01T02:00:00Z', how: 'ran', reason },
  }) as const;

describe('changes', () => {
  it('come from both ledgers behind the events that are known, until the signal', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const run = await openStores(home, await loadConfig(home));
    const maintenance = await openStores(home, await loadConfig(home), 'maintenance');
    await run.ledger.append([noted('old'), noted('older')]);
    const known = knownNow(home.ledgers, ['run', 'maintenance']);
    expect(known).toEqual({ run: 2, maintenance: 0 });
    await run.ledger.append(noted('missed'));
    const stop = new AbortController();
    const seen = new Set<string>();
    for await (const { pen, seq } of changes(home.ledgers, known, { signal: stop.signal })) {
      seen.add(`${pen} ${seq}`);
      if (seen.size === 1) await maintenance.ledger.append(noted('new'));
      if (seen.size === 2) await run.ledger.append(noted('newer'));
      if (seen.size === 3) stop.abort();
    }
    expect([...seen]).toEqual(['run 3', 'maintenance 1', 'run 4']);
    await run.close();
    await maintenance.close();
  });

  it('follow only the ledgers that are named, and give only what is asked for', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const stores = await openStores(home, await loadConfig(home));
    await stores.ledger.append([noted('a'), { type: 'ledger.disk_freed', data: {} }, noted('b')]);
    const ledgers = { run: home.ledgers.run, maintenance: join(folder.dir, 'never', 'read.jsonl') };
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const { seq } of changes(ledgers, { run: 0 }, { signal: stop.signal, filter: { type: 'slot.came' } })) {
      seen.push(seq);
      if (seen.length === 2) stop.abort();
    }
    expect(seen).toEqual([1, 3]);
    await stores.close();
  });
});
