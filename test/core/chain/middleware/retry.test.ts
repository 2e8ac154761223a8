import { describe, expect, it } from 'vitest';
import type { Outcome, Tool, ToolCall } from '../../../../src/core/schema/tool.ts';
import { retry } from '../../../../src/core/chain/middleware/retry.ts';
import { callOf, everythingLeft, failed, ok, through, toolNamed } from '../../../support/engine-fakes.ts';

const { bounds } = callOf();
const left = everythingLeft;

/** Tries a call whose outcomes are given, with what each attempt looked like and how long it was waited before. */
async function tried(change: Partial<ToolCall>, outcomes: Outcome[] = [], tool?: Tool) {
  const attempts: ToolCall[] = [];
  const delays: number[] = [];
  const pass = through(
    retry(new Map(tool === undefined ? [] : [[tool.name, tool]]), async (ms) => void delays.push(ms)),
  );
  const call = callOf({ bounds: { ...bounds, retries: 3 }, ...change });
  const outcome = await pass(
    call,
    async (given) => outcomes[attempts.push(given) - 1] ?? failed(`attempt ${attempts.length}`),
  );
  return { outcome, attempts, delays };
}

describe('retry', () => {
  it('tries what failed as often as the node allows, and waits longer each time', async () => {
    const { outcome, attempts, delays } = await tried({});
    expect(outcome).toEqual(failed('attempt 4'));
    expect(delays).toEqual([100, 200, 400]);
    expect(attempts.map(({ call, attempt, previous }) => [call, attempt, previous])).toEqual([
      ['r.n.0.1', 1, null],
      ['r.n.0.2', 2, failed('attempt 1')],
      ['r.n.0.3', 3, failed('attempt 2')],
      ['r.n.0.4', 4, failed('attempt 3')],
    ]);
  });

  it('a node says how long the pauses are, and which failures are tried again', async () => {
    const backoff = { seconds: 2, factor: 3, most_seconds: 10 };
    const slow = await tried({ bounds: { ...bounds, retries: 3, retry: { backoff } } });
    expect(slow.delays).toEqual([2000, 6000, 10_000]);
    const retrying = (on: string[]): Partial<ToolCall> => ({ bounds: { ...bounds, retries: 3, retry: { on } } });
    const errors = [failed('it did not end within 5 s and was stopped'), failed('status 429'), failed('Disk is BUSY')];
    expect((await tried(retrying(['timeout']), errors)).attempts).toHaveLength(2);
    expect((await tried(retrying(['timeout', 'rate_limit']), errors)).attempts).toHaveLength(3);
    expect((await tried(retrying(['timeout', 'rate_limit', 'busy']), errors)).attempts).toHaveLength(4);
    expect((await tried(retrying(['busy']), errors)).attempts).toHaveLength(1);
  });

  it.each<Outcome>([
    ok(),
    { status: 'denied', error: 'no' },
    { status: 'waiting', for: { kind: 'question', text: 'x' } },
    { status: 'cancelled', error: 'x' },
  ])('$status is the end of it', async (outcome) => {
    expect((await tried({}, [failed('1'), outcome])).attempts).toHaveLength(2);
  });

  it.each<[string, Partial<ToolCall>]>([
    ['what changes the world outside', { class: 'external_mutation' }],
    ['what a person has allowed for one attempt', { approval: 'b'.repeat(64) }],
    ['what the node does not allow to', { bounds }],
    ['what was told to stop', { signal: AbortSignal.abort() }],
    ['what the budget has no retry for', { left: () => ({ ...left, retries: 0 }) }],
    ['what the budget has no time for', { left: () => ({ ...left, seconds: 0 }) }],
  ])('%s is not tried again', async (_, change) => {
    expect((await tried(change)).attempts).toHaveLength(1);
  });

  it('looks at the budget before every attempt: others spend, too', async () => {
    let retries = 5;
    const spending = retry(new Map(), async () => void (retries -= 2));
    const ofAll = {
      ...left,
      get retries() {
        return retries;
      },
    };
    let attempts = 0;
    await spending.call?.(callOf({ bounds: { ...bounds, retries: 9 }, left: () => ofAll }), async () =>
      failed(`${(attempts += 1)}`),
    );
    expect(attempts).toBe(3);
  });

  it('what the last attempt has cost is taken off before another is made', async () => {
    const estimate = () => ({ tokens_in: 10, usd: 1, output_bytes: 5 });
    const costly = toolNamed('look', () => ok(), { estimate });
    const failure: Outcome = { status: 'failed', error: 'no', usage: estimate() };
    for (const enough of [{ tokens: 20 }, { usd: 2 }, { output_bytes: 10 }])
      expect(
        (await tried({ bounds: { ...bounds, retries: 1 }, left: () => ({ ...left, ...enough }) }, [failure], costly))
          .attempts,
      ).toHaveLength(2);
    for (const short of [{ tokens: 19 }, { usd: 1.5 }, { output_bytes: 9 }])
      expect(
        (await tried({ bounds: { ...bounds, retries: 1 }, left: () => ({ ...left, ...short }) }, [failure], costly))
          .attempts,
      ).toHaveLength(1);
  });

  it('a stop in the pause between two attempts leaves nothing in doubt: the next has not begun', async () => {
    const stop = new AbortController();
    const aborted = (): Promise<void> => {
      stop.abort();
      return Promise.reject(new Error('aborted'));
    };
    const pass = through(retry(new Map(), aborted));
    expect(
      await pass(callOf({ bounds: { ...bounds, retries: 3 }, signal: stop.signal }), async () => failed('first')),
    ).toMatchObject({ status: 'cancelled', begun: false, error: expect.stringContaining('first') });
  });

  it.each([{ temporary: false }, { overstepped: 'it tried to write' }])(
    'what failed with %j is not tried again',
    async (about) => {
      let attempts = 0;
      const pass = through(retry(new Map(), async () => undefined));
      await pass(
        callOf({ bounds: { ...bounds, retries: 3 } }),
        async () => ((attempts += 1), { ...failed('no'), ...about }),
      );
      expect(attempts).toBe(1);
    },
  );
});
