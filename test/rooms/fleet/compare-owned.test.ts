import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compareOnce } from '../../../src/rooms/fleet/compare-owned.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import type { StoredEvent, StoredMessage } from '../../../src/rooms/fleet/servers/run-owner.ts';
import { readEvents } from '../../../src/core/ledger/read-events.ts';

const root = mkdtempSync(join(tmpdir(), 'oka-compare-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const owner = { worker: 'one', process: 'p', epoch: 1 };
const stream = { name: 'OKA_RUNS', created: '2026-01-01T00:00:00.000Z' };

/** A ledger with one event of a run, and the stream as it should be. */
async function recorded() {
  const home = homeAt(mkdtempSync(join(root, 'home-')));
  setUp(home);
  const stores = await openStores(home, await loadConfig(home));
  await stores.ledger.append({ type: 'run.paused', run: 't', data: { reason: 'lunch' } });
  await stores.close();
  const events: StoredEvent[] = [];
  for await (const { seq, type, run, at, pen, cause, v, data } of readEvents(home.ledgers.run))
    if (run === 't') events.push({ seq, type, run, at, pen, cause, v, data });
  const messages: StoredMessage[] = [
    { sequence: 1, message: { kind: 'claim', ...owner, stream, version: '1' } },
    { sequence: 2, message: { kind: 'events', ...owner, number: 1, events, desk: null } },
  ];
  const stopped: string[] = [];
  const differing = new Set<string>();
  const compare = (now: StoredMessage[]): Promise<void> =>
    compareOnce({
      host: {
        home,
        engine: {
          stop: async (run, { kind }) => {
            stopped.push(`${kind} ${run}`);
            throw new Error('it is not driven');
          },
        },
      },
      member: { name: 'one', owned: { tasks: () => ['t'] }, log: { read: async () => now } },
      log: () => undefined,
      differing,
    });
  return { messages, compare, stopped, differing };
}

describe('the runs of a member, compared with the stream', () => {
  it('C1 are left alone when they are the same', async () => {
    const { messages, compare, stopped } = await recorded();
    await compare(messages);
    expect(stopped).toEqual([]);
  });

  it.each([
    ['an event was changed', (message: StoredMessage) => JSON.parse(JSON.stringify(message).replace('lunch', 'lunck'))],
    [
      'somebody wrote without a claim',
      ({ sequence, message }: StoredMessage) => ({ sequence, message: { ...message, epoch: 2 } }),
    ],
    ['messages before it are gone', (message: StoredMessage) => ({ ...message, after: message.sequence + 3 })],
  ])('C1 are paused once when %s, until they are the same again', async (_, change) => {
    const { messages, compare, stopped, differing } = await recorded();
    const changed = messages.map((each) => change(each) as StoredMessage);
    await compare(changed);
    await compare(changed);
    expect([stopped, [...differing]]).toEqual([['pause t'], ['t']]);
    await compare(messages);
    expect([...differing]).toEqual([]);
  });
});
