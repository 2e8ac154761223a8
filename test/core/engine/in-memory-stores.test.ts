import { describe, expect, it } from 'vitest';
import { memoryCache, memoryEvents, memoryRuns } from '../../../src/core/engine/in-memory-stores.ts';

describe('memoryEvents', () => {
  it('numbers what is staged, checks it like the ledger, and reads one run from a seq on', async () => {
    const events = memoryEvents(() => 0);
    for (const run of ['a', 'b', 'a']) events.stage({ type: 'run.resumed', run, data: { reason: 'x' } });
    await events.flush();
    expect(events.all.map(({ seq, at }) => [seq, at])).toEqual(
      [1, 2, 3].map((seq) => [seq, '1970-01-01T00:00:00.000Z']),
    );
    expect([...(events.read({ run: 'a', from: 2 }) as Iterable<unknown>)]).toEqual([events.all[2]]);
    expect(() => events.stage({ type: 'run.resumed', run: 'a', data: { reason: 5 as unknown as string } })).toThrow(
      expect.objectContaining({ code: 'invalid-event' }),
    );
    expect(events.all).toHaveLength(3);
  });
});

describe('memoryRuns', () => {
  it('keeps a copy, and gives null for what it does not have', async () => {
    const runs = memoryRuns();
    const snapshot = { seq: 1, state: { x: [1] } };
    await runs.save('r', snapshot);
    snapshot.state.x.push(2);
    expect(await runs.load('r')).toEqual({ seq: 1, state: { x: [1] } });
    expect(await runs.load('s')).toBeNull();
  });
});

describe('memoryCache', () => {
  it('gives what was set, and null for what was not', async () => {
    const cache = memoryCache();
    await cache.set('k', { x: 1 });
    expect(await cache.get('k')).toEqual({ x: 1 });
    expect(await cache.get('l')).toBeNull();
  });
});
