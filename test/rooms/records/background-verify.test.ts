import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyInBackground } from '../../../src/rooms/records/background-verify.ts';
import { readVerification } from '../../../src/kit/home/verification-state.ts';
import { penFile } from '../../../src/kit/home/home-notes.ts';
import { isPaused } from '../../../src/kit/home/stop-files.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import { openStores, type Stores } from '../../../src/kit/house/stores.ts';
import { archiveRuns } from '../../../src/core/ledger/archive-runs.ts';
import type { Goal } from '../../../src/core/ledger/goal.ts';
import { readEvents } from '../../../src/core/ledger/read-events.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { oka, type TemporaryFolder, temporaryFolder } from '../../support/cli.ts';

let folder: TemporaryFolder;
let home: Home;
let stores: Stores;
beforeEach(async () => {
  folder = temporaryFolder();
  home = homeAt(folder.dir);
  setUp(home);
  stores = await openStores(home, await loadConfig(home));
  for (const run of ['first', 'second', 'third'])
    for (let each = 0; each < 20; each += 1)
      await stores.ledger.append({ type: 'run.paused', run, data: { reason: `${run} ${each}` } });
});
afterEach(async () => {
  await stores.close();
  folder[Symbol.dispose]();
});

const goalOf = (run: string, first: number, last: number): Goal => ({
  run,
  title: run,
  status: 'running',
  state: 'EXECUTE',
  parent: null,
  first,
  last,
  nodes: [],
  waits: [],
});

const TWELVE_HOURS = 43_200_000;

/** Verifies until a pass over the run ledger is finished, and begins no second one; returns which runs were paused. */
async function verify(leastBytesPerSecond = 1e9, pauseMs = TWELVE_HOURS): Promise<string[]> {
  const paused: string[] = [];
  const before = readVerification(home, 'run').finished;
  const goals = [goalOf('first', 1, 20), goalOf('second', 21, 40), goalOf('third', 41, 60)];
  const verification = verifyInBackground(
    {
      home,
      ledger: stores.ledger,
      taskGraph: () => ({ events: 60, goals, ended: [] }),
      runs: { stop: async (run) => paused.push(run) as never },
    },
    { firstAfterMs: 0, passMs: 1000, pauseMs, leastBytesPerSecond },
  );
  await vi.waitFor(() => expect(readVerification(home, 'run').finished).not.toBe(before), 60_000);
  await verification.end();
  return [...new Set(paused)];
}

const foundEvents = (): Promise<unknown[]> =>
  Array.fromAsync(readEvents(home.ledgers.run, { from: 61, type: 'ledger.damage_found' }));

/** In place, as a bad disk would do it. */
function changeFile(file: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  change(bytes);
  writeFileSync(file, bytes);
}

describe('verifying older events in the background', () => {
  it('finds nothing in an intact ledger, and doctor and status say up to which event, and when that was', async () => {
    expect(await verify()).toEqual([]);
    expect(await foundEvents()).toEqual([]);
    expect((await oka('doctor', '--dir', home.dir)).out).toContain('the run ledger was verified up to event 60 on');
    expect((await oka('status', '--dir', home.dir)).out).toMatch(
      /verified up to event 60 on \d{4}-\d\d-\d\d \d\d:\d\d\n/,
    );
  });

  it('finds a flipped byte before the snapshot, which opening does not, pauses the run and reports it once', async () => {
    await stores.close();
    changeFile(home.ledgers.run, (bytes) => bytes.write('S', bytes.indexOf('second 7')));
    stores = await openStores(home, await loadConfig(home));
    expect(await verify()).toEqual(['second']);
    expect(await foundEvents()).toMatchObject([{ data: { ledger: 'run', seq: 28, runs: ['second'] } }]);
    expect(await verify()).toEqual([]);
    expect(await foundEvents()).toHaveLength(1);
    const { out, code } = await oka('doctor', '--dir', home.dir);
    expect([code, out]).toEqual([1, expect.stringContaining('event 28 of the run ledger is damaged')]);
  });

  it('begins at every start, however recent the last pass is, and no new task begins on what is damaged', async () => {
    expect(await verify()).toEqual([]);
    expect(isPaused(home)).toBe(false);
    changeFile(home.ledgers.run, (bytes) => bytes.write('S', bytes.indexOf('second 7')));
    expect(await verify()).toEqual(['second']);
    expect(isPaused(home)).toBe(true);
    expect(await oka('status', '--dir', home.dir)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/event 28 of the run ledger is damaged[\s\S]*Restore the ledger/) as string,
    });
  });

  it('nothing is signed on top of what is damaged, until it is intact again', async () => {
    const signedUpTo = (): number => (JSON.parse(readFileSync(penFile(home, 'run'), 'utf8')) as { seq: number }).seq;
    const goOn = async (): Promise<number> => {
      await stores.ledger.append({ type: 'run.paused', run: 'first', data: { reason: 'more' } });
      await stores.close();
      stores = await openStores(home, await loadConfig(home));
      return stores.ledger.end.seq;
    };
    expect(signedUpTo()).toBeLessThanOrEqual(await goOn());
    changeFile(home.ledgers.run, (bytes) => bytes.write('S', bytes.indexOf('second 7')));
    await verify();
    const before = signedUpTo();
    expect(await goOn()).toBeGreaterThan(before);
    expect(signedUpTo()).toBe(before);
    changeFile(home.ledgers.run, (bytes) => bytes.write('s', bytes.indexOf('Second 7')));
    await verify();
    expect(await goOn()).toBe(signedUpTo());
  });

  it('a damaged ledger that was replaced by an older one is gone on with once that is accepted', async () => {
    const older = readFileSync(home.ledgers.run);
    await stores.ledger.append({ type: 'run.paused', run: 'first', data: { reason: 'more' } });
    await stores.close(); // which signs it
    stores = await openStores(home, await loadConfig(home));
    changeFile(home.ledgers.run, (bytes) => bytes.write('S', bytes.indexOf('second 7')));
    await verify();
    await stores.close();
    writeFileSync(home.ledgers.run, older);
    const config = await loadConfig(home);
    await expect(openStores(home, config)).rejects.toThrow('are missing');
    expect((await oka('ledger', 'accept-rollback', '--dir', home.dir)).code).toBe(0);
    stores = await openStores(home, config);
  });

  it('finds lines that were swapped', async () => {
    const lines = readFileSync(home.ledgers.run, 'utf8').split('\n');
    [lines[4], lines[5]] = [lines[5] ?? '', lines[4] ?? ''];
    writeFileSync(home.ledgers.run, lines.join('\n'));
    expect(await verify()).toEqual(['first']);
    expect(await foundEvents()).toMatchObject([{ data: { seq: 5 } }, { data: { seq: 6 } }, { data: { seq: 7 } }]);
  });

  it('finds a segment of the archive that cannot be read, and goes on behind it', async () => {
    await stores.ledger.append([
      { type: 'run.ended', run: 'first', data: { status: 'done', reason: 'it is over' } },
      { type: 'run.ended', run: 'second', data: { status: 'done', reason: 'it is over' } },
      { type: 'run.ended', run: 'third', data: { status: 'done', reason: 'it is over' } },
    ]);
    expect(await archiveRuns(stores.ledger, new Date(Date.now() + 60_000), 4096)).not.toBeNull();
    expect(await verify()).toEqual([]);
    // The next pass may have begun already; it would go on behind the segment.
    rmSync(join(home.oka, 'state', 'run_verification.json'));
    const [segment = ''] = readdirSync(join(home.oka, 'archive')).toSorted();
    changeFile(join(home.oka, 'archive', segment), (bytes) => bytes.fill(0, 20, 60));
    expect(await verify()).toContain('first');
    const found = await foundEvents();
    expect(found).toHaveLength(1);
    expect(found).toMatchObject([{ data: { ledger: 'run', seq: 1 } }]);
  });

  it('goes on where it was stopped', async () => {
    const file = join(home.oka, 'state', 'run_verification.json');
    mkdirSync(join(home.oka, 'state'), { recursive: true });
    await verify();
    const lines = readFileSync(home.ledgers.run, 'utf8').split(/(?<=\n)/);
    const offset = Buffer.byteLength(lines.slice(0, 30).join(''));
    const { hash } = JSON.parse(lines[29] ?? '{}') as { hash: string };
    writeFileSync(file, JSON.stringify({ place: { seq: 30, offset, hash }, finished: null, faults: [], found: [] }));
    changeFile(home.ledgers.run, (bytes) => {
      bytes.write('F', bytes.indexOf('first 3'));
      bytes.write('T', bytes.indexOf('third 3'));
    });
    const paused = [...(await verify()), ...(await verify())];
    expect(paused).toEqual(['third', 'first']); // what lies before the place is found by the next pass
  });
});
