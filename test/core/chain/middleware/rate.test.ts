import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/core/schema/json.ts';
import { rate, type RateLimits, type TakePlaces } from '../../../../src/core/chain/middleware/rate.ts';
import { callOf, fakeTime, ok, through } from '../../../support/engine-fakes.ts';

/** Calls under limits, with the time each was let through at. */
function limited(limits: RateLimits) {
  const time = fakeTime();
  const begin = time.now;
  const pass = through(rate(limits, time.clock, time.sleep));
  const made: number[] = [];
  const call = (change: Parameters<typeof callOf>[0] = {}) =>
    pass(callOf(change), async () => (made.push(time.now - begin), ok()));
  return { time, made, call };
}

describe('rate', () => {
  it('short delays are sat out', async () => {
    const { made, call } = limited({ look: { calls: 2, seconds: 3 } });
    for (let left = 5; left > 0; left -= 1) await call();
    expect(made).toEqual([0, 0, 3000, 3000, 6000]);
  });

  it('long ones become a wait until there is room again', async () => {
    const { time, made, call } = limited({ look: { calls: 1, seconds: 60 } });
    await call();
    time.now += 1000;
    expect(await call()).toEqual({
      status: 'waiting',
      for: { kind: 'timer', until: new Date(time.now + 59_000).toISOString(), ms: 59_000 },
    });
    time.now += 59_000;
    expect(await call()).toEqual(ok());
    expect(made).toEqual([0, 60_000]);
  });

  it('calls at the same time line up behind each other', async () => {
    const { time, call } = limited({ look: { calls: 1, seconds: 2 } });
    const begin = time.now;
    const slept: number[] = [];
    const pass = through(
      rate(
        { look: { calls: 1, seconds: 2 } },
        () => begin,
        async (ms) => void slept.push(ms),
      ),
    );
    await Promise.all([1, 2, 3].map(() => pass(callOf(), async () => ok())));
    expect(slept).toEqual([2000, 4000]);
    await call();
  });

  it('a host has a limit over all tools', async () => {
    const { made, call } = limited({ 'host:example.org': { calls: 1, seconds: 4 } });
    await call({ tool: 'get', input: { url: 'https://example.org/a' } });
    await call({ tool: 'post', input: { url: 'https://example.org:8080/b' } });
    await call({ tool: 'get', input: { url: 'https://example.com' } });
    for (const input of [null, [1], { url: 5 }, { url: 'no address' }]) await call({ tool: 'get', input });
    expect(made).toEqual([0, 4000, 4000, 4000, 4000, 4000, 4000]);
  });

  it('what reaches something outside takes a place among the calls of all homes; the others are counted here', async () => {
    const time = fakeTime();
    const answers: (number | null)[] = [0, 3000, 0, 60_000, null];
    const asked: RateLimits[] = [];
    const take: TakePlaces = async (limits) => (asked.push(limits), answers.shift() ?? null);
    const one = { calls: 1, seconds: 4 };
    const pass = through(rate({ look: one, 'http.get': one, 'host:a.org': one }, time.clock, time.sleep, take));
    const call = (tool: string, input: Json = {}) => pass(callOf({ tool, input }), async () => ok());
    const begin = time.now;
    expect(await call('look')).toEqual(ok());
    expect(asked).toEqual([]);
    expect(await call('http.get', { url: 'https://a.org' })).toEqual(ok());
    expect(asked).toEqual([{ 'http.get': one, 'host:a.org': one }]);
    expect(await call('http.get')).toEqual(ok());
    expect(time.now).toBe(begin + 3000);
    expect(await call('http.get')).toMatchObject({ status: 'waiting', for: { kind: 'timer', ms: 60_000 } });
    expect(await call('http.get')).toMatchObject({ status: 'cancelled', begun: false });
  });
});
