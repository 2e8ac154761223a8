import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { carryOut } from '../../../src/kit/cli/carry-out.ts';
import { openReplies, repliesFolder, takeRequest } from '../../../src/kit/requests/request-replies.ts';
import { readRequests } from '../../../src/kit/requests/read-requests.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { takePen, type PenLock } from '../../../src/core/ledger/pen.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { temporaryFolder } from '../../support/cli.ts';

const intake = { kind: 'cancel', run: 'r1' } as const;
const taken = new OkaError('pen-held', 'the ledger is being written by a worker that has just started');
let folder: ReturnType<typeof temporaryFolder>;
let home: Home;
let pen: PenLock | null;

beforeEach(() => {
  folder = temporaryFolder();
  home = homeAt(folder.dir);
  setUp(home);
  pen = null;
});
afterEach(() => {
  pen?.release();
  folder[Symbol.dispose]();
});

const call = (patienceMs = 60_000, signal = new AbortController().signal) => ({
  home,
  signal,
  patienceMs,
  notify: () => undefined,
});
const requests = (): string[] => readdirSync(join(home.oka, 'intake'));
const never = async (): Promise<never> => {
  throw new Error('it was done here');
};
/** Until somebody has asked. */
async function asked(): Promise<{ id: string; name: string }> {
  for (;;) {
    const [found] = readRequests(join(home.oka, 'intake'));
    if (found !== undefined) return found;
    await new Promise((done) => setTimeout(done, 10));
  }
}

it('a worker that starts between the look for it and taking the pen is asked', async () => {
  let tries = 0;
  const here = async (): Promise<string> => {
    tries += 1;
    if (tries === 1) throw taken;
    return 'done here';
  };
  expect(await carryOut(call(), intake, here)).toBe('done here');
  expect(tries).toBe(2);
});

it('work that failed for another reason may have done something, and is not repeated', async () => {
  const refused = new OkaError('refused', 'the desk is not there');
  let tries = 0;
  const here = async (): Promise<never> => {
    tries += 1;
    throw refused;
  };
  await expect(carryOut(call(), intake, here)).rejects.toBe(refused);
  expect(tries).toBe(1);
});

it('C2 a request that nobody takes is withdrawn, and nothing is left that could be done later', async () => {
  pen = takePen(home.ledgers.run, Date.now());
  await expect(carryOut(call(300), intake, never)).rejects.toThrow(/nothing was done, and nothing will be/);
  expect(requests()).toEqual([]);
  expect(readdirSync(repliesFolder(home.oka))).toEqual([]);
});

it('C2 at Ctrl-C, too', async () => {
  pen = takePen(home.ledgers.run, Date.now());
  const stop = new AbortController();
  const waiting = carryOut(call(60_000, stop.signal), intake, never);
  await asked();
  stop.abort(new Error('interrupted'));
  await expect(waiting).rejects.toThrow('interrupted');
  expect(requests()).toEqual([]);
});

it('C1 what was taken is waited for, however long that takes', async () => {
  pen = takePen(home.ledgers.run, Date.now());
  const waiting = carryOut(call(300), intake, never);
  const { id, name } = await asked();
  expect(takeRequest(join(home.oka, 'intake'), { id, name })).toBe(true);
  await new Promise((done) => setTimeout(done, 600));
  openReplies(repliesFolder(home.oka)).send(id, { done: 'by the worker' });
  expect(await waiting).toBe('by the worker');
});

it('C3 what nobody took before the pen became free is done here', async () => {
  pen = takePen(home.ledgers.run, Date.now(), true);
  const waiting = carryOut(call(), intake, async () => 'done here');
  await asked();
  pen.release();
  expect(await waiting).toBe('done here');
  expect(requests()).toEqual([]);
});
