import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { openLedger } from '../../../src/core/ledger/ledger.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { launcher, oka, temporaryFolder } from '../../support/cli.ts';

it('whoever reads the output of a command slowly gets all of it', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  const ledger = await openLedger(home.ledgers.run, 'run', { redact: (line) => line });
  const reason = 'x'.repeat(1000);
  await ledger.append(
    Array.from(
      { length: 3000 },
      (_, index): NewEvent => ({
        type: 'task.rejected',
        data: { name: `${index}.md`, kept: `${index}.md`, reason },
      }),
    ),
  );
  await ledger.close();
  const child = spawn(process.execPath, [launcher, 'log', '--json', '--limit', '0', '--dir', folder.dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await sleep(3000); // longer than a command that is over waits for what it has left open
  expect(await text(child.stdout)).toBe((await oka('log', '--json', '--limit', '0', '--dir', folder.dir)).out);
});
