import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { takePen } from '../../../src/core/ledger/pen.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { withHost } from '../../../src/kit/house/host.ts';
import { launcher, okaWith, temporaryFolder } from '../../support/cli.ts';

const start = promisify(execFile);
const { signal } = new AbortController();

it('commands that come at once wait for each other, and each does its work', async () => {
  using folder = temporaryFolder();
  setUp(homeAt(folder.dir));
  const towns = ['Graz', 'Linz', 'Wien', 'Bern'];
  const add = (town: string): Promise<unknown> =>
    start(process.execPath, [launcher, 'memory', 'fact', 'add', `My aunt lives in ${town}.`, '--dir', folder.dir]);
  await Promise.all(towns.map(add));
  const { out } = await okaWith({}, 'log', '--json', '--dir', folder.dir);
  for (const town of towns) expect(out.split(`lives in ${town}`).length - 1, town).toBe(1);
});

it('a command that makes everything anew from the ledger waits, too, and is waited for', async () => {
  using folder = temporaryFolder();
  setUp(homeAt(folder.dir));
  const run = (...words: string[]): Promise<unknown> =>
    start(process.execPath, [launcher, ...words, '--dir', folder.dir]);
  await run('memory', 'fact', 'add', 'My aunt lives in Graz.');
  const repairs = [['rebuild'], ['ledger', 'accept-rollback'], ['rebuild']];
  await Promise.all([...repairs, ['memory', 'fact', 'add', 'And now in Wien.']].map((words) => run(...words)));
  const { out } = await okaWith({}, 'memory', 'fact', 'list', '--dir', folder.dir);
  expect(out).toMatch(/Graz[\s\S]*Wien|Wien[\s\S]*Graz/);
});

it('whoever opens the home waits for a command that has the pen', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  const pen = takePen(home.ledgers.run, Date.now(), true);
  const steps: string[] = [];
  const waiting = withHost(home, signal, async () => void steps.push('opened'));
  await sleep(300);
  steps.push('released');
  pen.release();
  await waiting;
  expect(steps).toEqual(['released', 'opened']);
});

it('a process that stays is not waited for', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  const pen = takePen(home.ledgers.run, Date.now());
  await expect(withHost(home, signal, () => Promise.resolve())).rejects.toMatchObject({ code: 'pen-held' });
  pen.release();
});

it('a request that a command has not read before it ended is withdrawn, and done by whoever asked', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  const pen = takePen(home.ledgers.run, Date.now(), true);
  const asked = okaWith({}, 'cancel', 'nobody', '--dir', folder.dir);
  await sleep(300);
  pen.release();
  const { code, err } = await asked;
  expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('nobody') });
});
