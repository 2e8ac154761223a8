import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callChain } from '../../../src/core/engine/middleware-chain.ts';
import { memoryCache } from '../../../src/core/engine/in-memory-stores.ts';
import type { Outcome, Tool, ToolCall } from '../../../src/core/schema/tool.ts';
import { type ChainOptions, standardChain } from '../../../src/core/chain/chain.ts';
import type { Judge } from '../../../src/core/chain/middleware/authorize.ts';
import { callOf, dataOf, engineWith, failed, graphOf, ok, type Seen, toolNamed } from '../../support/engine-fakes.ts';

const NAMES = [
  'validate',
  'eligible',
  'masked',
  'authorize',
  'budget',
  'rate',
  'cache',
  'heal',
  'retry',
  'day-budget',
  'record',
  'confirm',
  'timeout',
  'originals',
  'secrets',
  'claimed',
];
const allow: Judge = () => ({ effect: 'allow', why: '' });

/** An engine over the whole chain, and how often its tools were reached. */
function chained(tools: readonly Tool[], options: Partial<ChainOptions> = {}): Seen & { reached: string[] } {
  const reached: string[] = [];
  const seen = tools.map((tool) => ({
    ...tool,
    invoke: (...given: Parameters<Tool['invoke']>) => (reached.push(tool.name), tool.invoke(...given)),
  }));
  const clock = (): number => engine.time.now;
  const engine: Seen = engineWith({
    tools: seen,
    middleware: standardChain({
      tools: seen,
      clock,
      sleep: async (ms) => engine.time.sleep(ms),
      judge: allow,
      ...options,
    }),
  });
  return { ...engine, reached };
}

const unbound = callOf().bounds;

/** One call through the whole chain, without an engine. */
function through(
  options: Partial<ChainOptions> & { tools: readonly Tool[] },
  call: Partial<ToolCall>,
): Promise<Outcome> {
  const chain = standardChain({ clock: () => 0, sleep: async () => undefined, judge: allow, ...options });
  return callChain(
    chain,
    async (given) => options.tools[0]?.invoke(given.input, given) ?? failed('no tool'),
  )(callOf(call));
}

/** Runs the nodes to the end or to rest. */
async function ran({ engine }: Seen, nodes: object[], budgets: object = {}) {
  return (await engine.start(graphOf(nodes, { parallel: 1 }), { id: 'r', budgets })).done;
}

const node = (id: string, tool: string, rest: object = {}): object => ({ kind: 'tool', id, tool, ...rest });

describe('the chain', () => {
  it('has one order, outermost first', () => {
    expect(standardChain({ tools: [], clock: () => 0, sleep: async () => undefined }).map(({ name }) => name)).toEqual(
      NAMES,
    );
  });

  it('validate before eligible: input of the wrong shape is a failure, wherever it is called', async () => {
    const look = toolNamed('look', () => ok(), { input: z.strictObject({ path: z.string() }) });
    const outcome = await through({ tools: [look] }, { input: { path: 5 }, bounds: { ...unbound, tools: [] } });
    expect(outcome).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('look cannot take this input: path'),
    });
  });

  it('eligible before authorize: nobody is asked about a call that is not possible here', async () => {
    const judge: Judge = () => ({ effect: 'ask', why: 'please' });
    const look = toolNamed('look', () => ok());
    expect(await through({ tools: [look], judge }, {})).toMatchObject({ status: 'waiting' });
    expect(await through({ tools: [look], judge }, { bounds: { ...unbound, classes: [] } })).toMatchObject({
      status: 'denied',
    });
  });

  it('authorize before budget: what is refused or asked about is so also when nothing is left, and asking spends nothing', async () => {
    const write = toolNamed('write', () => ok(), { class: 'write_local' });
    const world = chained([write], { judge: () => ({ effect: 'deny', why: 'never' }) });
    expect(await ran(world, [node('a', 'write')], { tool_calls: 0 })).toMatchObject({ reason: 'a: write: never' });
    const asking = chained([write], { judge: () => ({ effect: 'ask', why: 'please' }) });
    expect(await ran(asking, [node('a', 'write')], { tool_calls: 0 })).toMatchObject({
      status: 'blocked',
      spent: { tool_calls: 0 },
    });
  });

  it('budget before rate: a run without budget does not queue', async () => {
    const world = chained([toolNamed('look', () => ok())], { limits: { look: { calls: 1, seconds: 3600 } } });
    const run = await ran(world, [node('a', 'look'), node('b', 'look', { needs: ['a'] })], { tool_calls: 1 });
    expect(run).toMatchObject({ status: 'failed', reason: 'b: the budget of this run is spent: tool_calls' });
    expect(dataOf(world.events, 'wait.opened')).toEqual([]);
  });

  it('rate before cache: what is known takes its place in the queue, too', async () => {
    const look = toolNamed('look', () => ok('known'), { annotations: { cacheable: true } });
    const world = chained([look], { cache: memoryCache(), limits: { look: { calls: 1, seconds: 2 } } });
    const before = world.time.now;
    await ran(world, [node('a', 'look', { input: 1 }), node('b', 'look', { input: 1, needs: ['a'] })]);
    expect(world.reached).toEqual(['look']);
    expect(world.time.now - before).toBe(2000);
  });

  it('cache before retry: what is known is neither made nor tried again', async () => {
    const store = memoryCache();
    let times = 0;
    const look = toolNamed('look', () => ((times += 1) === 1 ? ok('known') : failed('gone')), {
      annotations: { cacheable: true },
    });
    const world = chained([look], { cache: store });
    const nodes = [node('a', 'look', { input: 1 }), node('b', 'look', { input: 1, needs: ['a'], max_retries: 3 })];
    expect(await ran(world, nodes)).toMatchObject({ status: 'done', output: 'known' });
    expect(world.reached).toEqual(['look']);
    expect(dataOf(world.events, 'call.ended').map(({ node, status }) => [node, status])).toEqual([
      ['a', 'ok'],
      ['b', 'ok'],
    ]);
  });

  it('cache before heal: a failure that leads to a wait is not remembered', async () => {
    let times = 0;
    const look = toolNamed('look', () => ((times += 1) === 1 ? failed('missing') : ok('there')), {
      annotations: { cacheable: true },
    });
    const world = chained([look], { cache: memoryCache(), diagnose: () => ({ kind: 'requirement', name: 'ffmpeg' }) });
    await ran(world, [node('a', 'look')]);
    expect(await (await world.engine.answer('r', 'r.a.0.w0', { verdict: 'answered' })).done).toMatchObject({
      status: 'done',
      output: 'there',
    });
  });

  it('heal outside retry: only when trying again did not help, and after an install the attempts count anew', async () => {
    const outcomes: Outcome[] = [failed('1'), failed('2'), failed('3'), failed('4'), ok('at last')];
    const work = toolNamed('work', () => outcomes.shift() ?? failed('none'));
    const diagnosed: string[] = [];
    const world = chained([work], {
      diagnose: (_, { error }) => (diagnosed.push(error), { kind: 'requirement', name: 'ffmpeg' }),
    });
    await ran(world, [node('a', 'work', { max_retries: 1 })]);
    expect(diagnosed).toEqual(['2']);
    await (await world.engine.answer('r', 'r.a.0.w0', { verdict: 'answered' })).done;
    expect(diagnosed).toEqual(['2', '4']);
    expect(await (await world.engine.answer('r', 'r.a.0.w1', { verdict: 'answered' })).done).toMatchObject({
      status: 'done',
      output: 'at last',
    });
  });

  it('retry outside record: every attempt is announced before it acts and has its own outcome', async () => {
    const seen: number[] = [];
    const work = toolNamed(
      'work',
      () => (seen.push(dataOf(world.events, 'call.started').length), seen.length < 3 ? failed('no') : ok()),
      { class: 'write_local', annotations: { idempotent: true } },
    );
    const world = chained([work]);
    await ran(world, [node('a', 'work', { max_retries: 2 })]);
    expect(seen).toEqual([1, 2, 3]);
    expect(dataOf(world.events, 'call.ended').map(({ call, status, retried }) => [call, status, retried])).toEqual([
      ['r.a.0.1', 'failed', true],
      ['r.a.0.2', 'failed', true],
      ['r.a.0.3', 'ok', undefined],
    ]);
  });

  it('record outside timeout: an attempt that ran out of time is an attempt, and another is announced', async () => {
    let times = 0;
    const slow = toolNamed('slow', () => ((times += 1) === 1 ? new Promise<Outcome>(() => undefined) : ok()));
    const world = chained([slow]);
    expect(await ran(world, [node('a', 'slow', { timeout_seconds: 0.001, max_retries: 1 })])).toMatchObject({
      status: 'done',
    });
    expect(dataOf(world.events, 'call.ended')[0]).toMatchObject({
      retried: true,
      error: expect.stringContaining('did not end within 0.001 s'),
    });
  });

  it('timeout outside secrets: a vault that does not open ends with the attempt', async () => {
    const look = toolNamed('look', () => ok());
    const outcome = await through(
      { tools: [look], reveal: () => new Promise(() => undefined) },
      { bounds: { ...unbound, timeoutMs: 1 } },
    );
    expect(outcome).toMatchObject({ status: 'failed', temporary: true });
  });

  it('secrets inside everything: the tool sees the value; no event, no question and no cache key does', async () => {
    const inputs: unknown[] = [];
    let times = 0;
    const tool = toolNamed('send', (input) => (inputs.push(input), (times += 1) === 1 ? failed('no') : ok()), {
      class: 'write_local',
      annotations: { idempotent: true },
    });
    const keys: string[] = [];
    const store = memoryCache();
    const world = chained([tool], {
      cache: { ...store, get: (key) => (keys.push(key), store.get(key)) },
      reveal: async (call) => ({
        ...call,
        input: JSON.parse(JSON.stringify(call.input).replaceAll('secret:TOKEN', 'hunter2')),
      }),
    });
    await ran(world, [node('a', 'send', { input: { auth: 'secret:TOKEN' }, max_retries: 1 })]);
    expect(inputs).toEqual([{ auth: 'hunter2' }, { auth: 'hunter2' }]);
    expect(JSON.stringify(world.events)).not.toContain('hunter2');
    expect(dataOf(world.events, 'call.started')).toMatchObject([
      { input: { auth: 'secret:TOKEN' } },
      { input: { auth: 'secret:TOKEN' } },
    ]);
  });
});

describe('approvals', () => {
  it('an approved call is made once: when it fails, it is not tried again without asking', async () => {
    const write = toolNamed('write', () => failed('no'), { class: 'write_local' });
    const world = chained([write], { judge: () => ({ effect: 'ask', why: '' }) });
    await ran(world, [node('a', 'write', { max_retries: 3 })]);
    expect(await (await world.engine.answer('r', 'r.a.0.w0', { verdict: 'approved' })).done).toMatchObject({
      status: 'failed',
    });
    expect(world.reached).toEqual(['write']);
  });

  it('a call that is denied by a person fails, or is something an agent learns', async () => {
    const world = chained([toolNamed('write', () => ok(), { class: 'write_local' })], {
      judge: () => ({ effect: 'ask', why: '' }),
    });
    await ran(world, [node('a', 'write')]);
    expect(
      await (await world.engine.answer('r', 'r.a.0.w0', { verdict: 'denied', text: 'not today' })).done,
    ).toMatchObject({ status: 'failed', reason: 'a: approval denied: not today' });
    expect(world.reached).toEqual([]);
  });
});

describe('a layer that does not apply to a tool', () => {
  const classes = ['read', 'write_local', 'external_mutation'] as const;
  const tools: Tool[] = [
    toolNamed('plain', async () => ok()),
    { ...toolNamed('costly', async () => ok()), estimate: () => ({ usd: 1 }) },
    { ...toolNamed('acting', async () => ok()), targets: ['path'] },
    toolNamed('cached', async () => ok(), { annotations: { cacheable: true } }),
    toolNamed('limited', async () => ok()),
  ];
  const layers = standardChain({
    tools,
    clock: () => 0,
    sleep: () => Promise.reject(new Error('it must not wait')),
    cache: memoryCache(),
    limits: { limited: { calls: 1, seconds: 60 } },
    restore: () => Promise.resolve({ status: 'denied', error: 'it must not be restored' }),
    reserveDayBudget: () => Promise.resolve(failed('it must not be reserved')),
  });
  const left = layers.flatMap((layer) =>
    tools.flatMap((tool) =>
      classes.filter((effect) => layer.appliesTo?.(tool, effect) === false).map((effect) => ({ layer, tool, effect })),
    ),
  );

  it('is one of five, each for some tools', () => {
    const names = new Set(left.map(({ layer }) => layer.name));
    expect([...names].toSorted()).toEqual(['cache', 'day-budget', 'masked', 'originals', 'rate']);
  });

  it.each(left.map((each) => [`${each.layer.name}, ${each.tool.name}, ${each.effect}`, each] as const))(
    'would do nothing: %s',
    async (_, { layer, tool, effect }) => {
      const call = callOf({ tool: tool.name, class: effect });
      const passed: ToolCall[] = [];
      for (let time = 0; time < 2; time += 1)
        await layer.call?.(call, async (given) => {
          passed.push(given);
          return ok();
        });
      expect(passed).toEqual([call, call]);
      expect(passed[0]).toBe(call);
    },
  );
});
