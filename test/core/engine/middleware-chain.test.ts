import { describe, expect, it } from 'vitest';
import { callChain, decisionChain, transitionChain } from '../../../src/core/engine/middleware-chain.ts';
import type { Decision } from '../../../src/core/schema/decision.ts';
import type { Middleware, PlannerInput } from '../../../src/core/schema/ports.ts';
import { callOf, ok, toolNamed } from '../../support/engine-fakes.ts';

const input: PlannerInput = {
  run: 'r',
  node: 'n',
  turn: 0,
  goal: '',
  state: 'intake',
  next: [],
  evidence: [],
  tools: [],
  budgets: {},
  problem: null,
};
const finish: Decision = { kind: 'Finish', output: null, rationale: '' };
const move = { run: 'r', node: 'n', from: 'a', to: 'b' };
const bystander: Middleware = { name: 'bystander' };

describe('callChain', () => {
  it('the first middleware is outermost; those without a part in calls are passed by', async () => {
    const seen: string[] = [];
    const noting = (name: string): Middleware => ({
      name,
      call: async (call, next) => {
        seen.push(`${name} in`);
        const outcome = await next(call);
        seen.push(`${name} out`);
        return outcome;
      },
    });
    const chain = callChain([noting('a'), bystander, noting('b')], async () => {
      seen.push('tool');
      return ok();
    });
    await chain(callOf());
    expect(seen).toEqual(['a in', 'b in', 'tool', 'b out', 'a out']);
  });

  it('a middleware may change the call on its way and need not pass it on', async () => {
    const deny: Middleware = {
      name: 'deny',
      call: async ({ tool }, next) => (tool === 'x' ? { status: 'denied', error: 'no' } : next(callOf({ input: 1 }))),
    };
    const chain = callChain([deny], async (call) => ok(call.input));
    expect(await chain(callOf({ tool: 'x' }))).toEqual({ status: 'denied', error: 'no' });
    expect(await chain(callOf())).toEqual(ok(1));
  });
});

describe('the chain of a tool and a class', () => {
  const tools = new Map(['a', 'b'].map((name) => [name, toolNamed(name, async () => ok())]));
  const seen: string[] = [];
  const layer = (name: string, applies?: Middleware['appliesTo']): Middleware => ({
    name,
    ...(applies === undefined ? {} : { appliesTo: applies }),
    call: (call, next) => {
      seen.push(name);
      return next(call);
    },
  });
  const layersOf = async (
    chain: ReturnType<typeof callChain>,
    call: Parameters<typeof callOf>[0],
  ): Promise<string[]> => {
    seen.length = 0;
    await chain(callOf(call));
    return [...seen];
  };

  it('has the middlewares that apply to both, in their order', async () => {
    const layers = [layer('1'), layer('2', ({ name }) => name === 'a'), layer('3', (_, effect) => effect === 'read')];
    const chain = callChain([...layers, layer('4')], async () => ok(), tools);
    expect(await layersOf(chain, { tool: 'a', class: 'read' })).toEqual(['1', '2', '3', '4']);
    expect(await layersOf(chain, { tool: 'a', class: 'write_local' })).toEqual(['1', '2', '4']);
    expect(await layersOf(chain, { tool: 'b', class: 'write_local' })).toEqual(['1', '4']);
    expect(await layersOf(chain, { tool: 'b', class: 'read' })).toEqual(['1', '3', '4']);
  });

  it('is composed once', async () => {
    let asked = 0;
    const counting = layer('counting', () => {
      asked += 1;
      return true;
    });
    const chain = callChain([counting], async () => ok(), tools);
    for (let call = 0; call < 5; call += 1) await layersOf(chain, { tool: 'a', class: 'read' });
    expect(asked).toBe(1);
  });

  it('has all of them for a tool that is not there, and for one that took its name the new tool is asked about', async () => {
    const chain = callChain([layer('1', ({ about }) => about === 'new')], async () => ok(), tools);
    expect(await layersOf(chain, { tool: 'gone' })).toEqual(['1']);
    expect(await layersOf(chain, { tool: 'a' })).toEqual([]);
    tools.set('a', { ...toolNamed('a', async () => ok()), about: 'new' });
    expect(await layersOf(chain, { tool: 'a' })).toEqual(['1']);
  });
});

describe('decisionChain', () => {
  it('a middleware sees the decision and may replace it', async () => {
    const judge: Middleware = {
      name: 'judge',
      decision: async (_, next) =>
        (await next()).kind === 'Finish' ? { kind: 'Fail', reason: 'too soon', rationale: '' } : next(),
    };
    expect(await decisionChain([bystander, judge], async () => finish)(input)).toMatchObject({
      kind: 'Fail',
      reason: 'too soon',
    });
    expect(await decisionChain([bystander], async () => finish)(input)).toBe(finish);
  });
});

describe('transitionChain', () => {
  it('the first reason against a move is the answer', () => {
    const never: Middleware = { name: 'never', transition: ({ to }) => `never to ${to}` };
    const asking: Middleware = { name: 'asking', transition: (_, next) => next() };
    expect(transitionChain([asking, never], () => null)(move)).toBe('never to b');
    expect(transitionChain([asking, bystander], () => 'not from here')(move)).toBe('not from here');
    expect(transitionChain([], () => null)(move)).toBeNull();
  });
});
