import { openSync, closeSync, writeSync } from 'node:fs';
import { expect, it } from 'vitest';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import { ledgerFindings } from '../../../src/core/ledger/ledger-findings.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

it('damage far back in a large ledger is found by oka doctor --deep', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  const stores = await openStores(home, await loadConfig(home));
  const reason = 'long '.repeat(3900);
  for (let batch = 0; batch < 35; batch += 1)
    await stores.ledger.append(
      Array.from({ length: 100 }, () => ({ type: 'worker.stopped' as const, data: { reason } })),
    );
  await stores.close();
  const fd = openSync(home.ledgers.run, 'r+');
  writeSync(fd, 'l0ng', 30_000);
  closeSync(fd);
  const [quick] = await ledgerFindings(home, false);
  expect(quick).toMatchObject({ state: 'good', found: expect.stringContaining('oka doctor --deep') });
  expect(await oka('doctor', '--deep', '--dir', home.dir)).toMatchObject({
    code: 1,
    out: expect.stringContaining('is damaged at seq 2'),
  });
});
