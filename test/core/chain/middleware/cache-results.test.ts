import { describe, expect, it } from 'vitest';
import { callChain } from '../../../../src/core/engine/middleware-chain.ts';
import { memoryCache } from '../../../../src/core/engine/in-memory-stores.ts';
import type { Json } from '../../../../src/core/schema/json.ts';
import type { Cache } from '../../../../src/core/schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../../../../src/core/schema/tool.ts';
import { cache } from '../../../../src/core/chain/middleware/cache-results.ts';
import { callOf, failed, ok, through, toolNamed } from '../../../support/engine-fakes.ts';

const cacheable = { annotations: { cacheable: true } };

/** Calls through a cache, with how often they were really made. */
function cached(tool: Tool, outcome: (times: number) => Outcome = ok, store: Cache | undefined = memoryCache()) {
  const pass = through(cache(new Map([[tool.name, tool]]), store));
  const made: Json[] = [];
  const call = (change: Partial<ToolCall> = {}) => pass(callOf(change), async ({ input }) => outcome(made.push(input)));
  return { made, call };
}

describe('cache', () => {
  it('the same call is made once', async () => {
    const { made, call } = cached(toolNamed('look', () => ok(), cacheable));
    expect(await call({ input: { x: 1 } })).toEqual(ok(1));
    expect(await call({ input: { x: 1 } })).toMatchObject({ status: 'ok', output: 1 });
    expect(await call({ input: { x: 2 } })).toEqual(ok(2));
    expect(made).toEqual([{ x: 1 }, { x: 2 }]);
  });

  it.each<[string, Tool, Partial<ToolCall>]>([
    ['a tool that is not cacheable', toolNamed('look', () => ok()), {}],
    ['a call that may change something', toolNamed('look', () => ok(), cacheable), { class: 'write_local' }],
    ['a tool that nobody knows', toolNamed('other', () => ok(), cacheable), {}],
  ])('%s is made every time', async (_, tool, change) => {
    const { made, call } = cached(tool);
    await call(change);
    await call(change);
    expect(made).toHaveLength(2);
  });

  it('without a store every call is made', async () => {
    let made = 0;
    const pass = callChain(
      [cache(new Map([['look', toolNamed('look', () => ok(), cacheable)]]), undefined)],
      async () => ok((made += 1)),
    );
    await pass(callOf());
    expect(await pass(callOf())).toEqual(ok(2));
  });

  it('a result is good while the fingerprint of what was read stays, over all runs', async () => {
    let version = 1;
    const { call } = cached(toolNamed('look', () => ok(), { ...cacheable, fingerprint: async () => `v${version}` }));
    expect(await call({ run: 'r' })).toMatchObject({ output: 1 });
    expect(await call({ run: 's' })).toMatchObject({ output: 1 });
    version = 2;
    expect(await call()).toMatchObject({ output: 2 });
    version = 1;
    expect(await call()).toMatchObject({ output: 1 });
  });

  it('what changed while it was read is not kept', async () => {
    let version = 1;
    const { call } = cached(
      toolNamed('look', () => ok(), { ...cacheable, fingerprint: async () => `v${version}` }),
      (times) => ok((version = times + 1)),
    );
    expect([await call(), await call()]).toEqual([ok(2), ok(3)]);
  });

  it('without a fingerprint a result is good for its own run only', async () => {
    const { call } = cached(toolNamed('look', () => ok(), cacheable));
    expect([await call({ run: 'r' }), await call({ run: 's' }), await call({ run: 'r' })]).toMatchObject([
      { output: 1 },
      { output: 2 },
      { output: 1 },
    ]);
  });

  it('what did not go well, and what left artifacts, is not kept', async () => {
    const artifacts = [{ sha256: 'a'.repeat(64), bytes: 1, media: 'text/plain' }];
    const outcomes: Outcome[] = [
      failed('no'),
      { status: 'ok', output: 'cut', artifacts },
      ok('whole'),
      failed('not reached'),
    ];
    const { call } = cached(
      toolNamed('look', () => ok(), cacheable),
      (times) => outcomes[times - 1] ?? failed('none'),
    );
    expect([await call(), await call(), await call(), await call()]).toMatchObject([
      { error: 'no' },
      { output: 'cut' },
      { output: 'whole' },
      { output: 'whole' },
    ]);
  });
});
