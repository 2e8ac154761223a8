import { expect, it } from 'vitest';
import { endedClaims } from '../../../src/rooms/fleet/ended-claims.ts';
import type { FruitlessClaim } from '../../../src/rooms/fleet/servers/fruitless-claims.ts';
import { claimAs, modelRunLog } from '../../support/model-run-log.ts';
import { MemberMessage } from '../../../src/core/schema/fleet.ts';

const claimOf = (worker: string, process: string): FruitlessClaim => ({
  worker,
  process,
  epoch: 1,
  version: '1',
  last: [],
  until: 10,
});
const report = (name: string, process: string | undefined, second: number): MemberMessage => ({
  ...MemberMessage.parse({
    name,
    version: '1',
    labels: [],
    slots: 1,
    runs: [],
    fenced: 0,
    at: '2026-01-01T00:00:00.000Z',
  }),
  process,
  at: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`,
});

it('a worker that reports as the process which took the task has not ended', async () => {
  const lists = [
    [report('lives', 'a', 1), report('restarted', 'b', 1), report('silent', 'c', 1), report('older', undefined, 1)],
    [report('lives', 'a', 6), report('restarted', 'b2', 6), report('silent', 'c', 1), report('older', undefined, 6)],
  ];
  const members = { list: () => Promise.resolve(lists.shift() ?? []) };
  const claims = [
    claimOf('lives', 'a'),
    claimOf('restarted', 'b'),
    claimOf('silent', 'c'),
    claimOf('older', 'd'),
    claimOf('gone', 'a'), // another member cannot live for it
  ];
  const log = { next: () => Promise.resolve(null) };
  const ended = await endedClaims(claims, 20, { members, log }, 1);
  expect(ended.map(({ worker }) => worker)).toEqual(['restarted', 'silent', 'older', 'gone']);
});

it('a worker that published something after another had claimed the task ended for another reason', async () => {
  const { log, stored } = modelRunLog();
  const claims = [{ ...claimOf('a', 'a'), until: 2 }, { ...claimOf('b', 'b'), until: 3 }, claimOf('c', 'c')];
  for (const worker of ['a', 'b', 'a', 'c']) await claimAs(log, worker);
  const members = { list: () => Promise.resolve([]) };
  const ended = async (now: number): Promise<string[]> =>
    (await endedClaims(claims, now, { members, log }, 1)).map(({ worker }) => worker);
  expect(await ended(stored.length)).toEqual(['b', 'c']);
  const last = { ...claimOf('c', 'c'), until: null };
  expect(await endedClaims([last], 3, { members, log }, 1)).toEqual([]);
  expect(await endedClaims([last], 4, { members, log }, 1)).toEqual([last]);
});
