/** The engine as another program embeds it: own states, planner, middleware, tools and stores. */
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/core/engine/engine.ts';
import { memoryEvents, memoryRuns } from '../../../src/core/engine/in-memory-stores.ts';
import { explainRun } from '../../../src/kit/views/explanation.ts';
import type { Decision } from '../../../src/core/schema/decision.ts';
import type { MemoryStore, Middleware, Planner, PlannerInput } from '../../../src/core/schema/ports.ts';
import { memoryTools } from '../../../src/rooms/memory/memory-tools.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { dataOf, fakeTime, graphOf, memoryArtifacts, ok, toolNamed } from '../../support/engine-fakes.ts';

const agent = graphOf([{ kind: 'agent', id: 'a', goal: 'find out' }]);

/** Answers from a list, and remembers what it was asked with. */
function scripted(answers: readonly Decision[]): Planner & { asked: PlannerInput[] } {
  const asked: PlannerInput[] = [];
  return {
    asked,
    decide: (input) => {
      asked.push(input);
      return answers[asked.length - 1] ?? { kind: 'Fail', reason: 'nothing left to say', rationale: '' };
    },
  };
}

const move = (to: string): Decision => ({ kind: 'Transition', to, rationale: `to ${to}` });
const call = (tool: string, input: unknown): Decision =>
  Object.assign({ kind: 'CallTool', tool, input, rationale: '' } as never);
const finish = (output: unknown): Decision => Object.assign({ kind: 'Finish', output, rationale: 'found' } as never);

describe('an embedder', () => {
  it('sees and changes what a planner decided, by middleware over its output', async () => {
    const { clock, sleep } = fakeTime();
    const events = memoryEvents(clock);
    const planner = scripted([finish('a secret')]);
    const seen: string[] = [];
    const masking: Middleware = {
      name: 'masking',
      decision: async ({ state }, next) => {
        const decision = await next();
        seen.push(`${state}: ${decision.kind}`);
        return decision.kind === 'Finish' ? { ...decision, output: 'masked' } : decision;
      },
    };
    const engine = createEngine({ tools: [], planner, middleware: [masking], stores: { events }, clock, sleep });
    expect(await (await engine.start(agent, { id: 'r' })).done).toMatchObject({ status: 'done', output: 'masked' });
    expect(seen).toEqual(['intake: Finish']);
    expect(dataOf(events.all, 'decision.made')).toMatchObject([{ decision: { kind: 'Finish', output: 'masked' } }]);
  });

  it('forbids a transition by middleware: the planner hears why, is asked again, and the refusal is recorded', async () => {
    const { clock, sleep } = fakeTime();
    const events = memoryEvents(clock);
    const planner = scripted([move('explore'), move('decide'), finish('careful')]);
    const noExploring: Middleware = {
      name: 'no exploring',
      transition: ({ to }, next) => (to === 'explore' ? 'exploring is off today' : next()),
    };
    const engine = createEngine({ tools: [], planner, middleware: [noExploring], stores: { events }, clock, sleep });
    expect(await (await engine.start(agent, { id: 'r' })).done).toMatchObject({ status: 'done', output: 'careful' });
    expect(dataOf(events.all, 'decision.rejected')).toMatchObject([{ reason: 'exploring is off today' }]);
    expect(planner.asked.map(({ state, problem }) => [state, problem])).toEqual([
      ['intake', null],
      ['intake', 'exploring is off today'],
      ['decide', null],
    ]);
    expect(explainRun(events.all).timeline.map(({ what }) => what)).toContain('a: decide');
  });

  it('brings states of its own', async () => {
    const { clock, sleep } = fakeTime();
    const states = {
      start: 'sleeping',
      states: {
        sleeping: { to: ['awake'], classes: [] },
        awake: { to: [], classes: ['read' as const], tools: ['look'] },
      },
    };
    const planner = scripted([move('explore'), move('awake'), call('look', null), finish('seen')]);
    const tools = [toolNamed('look', () => ok('light')), toolNamed('listen', () => ok('noise'))];
    const engine = createEngine({ tools, states, planner, clock, sleep });
    expect(await (await engine.start(agent, { id: 'r' })).done).toMatchObject({ status: 'done', output: 'seen' });
    expect(planner.asked[1]?.problem).toContain('there is no transition from sleeping to explore');
    expect(planner.asked[2]?.tools.map(({ name }) => name)).toEqual(['look']);
  });

  it('brings a memory store, which agents search through the chain like any other tool', async () => {
    const { clock, sleep } = fakeTime();
    const events = memoryEvents(clock);
    const memory: MemoryStore = {
      search: async (query, limit) => [{ id: 'm1', text: `about ${query}`, score: 1 }].slice(0, limit),
    };
    const tools = memoryTools({
      search: async ({ query, limit }) =>
        (await memory.search(query, limit)).map((found) => ({ ...found, who: 'me', at: '2030-01-01T00:00:00Z' })),
    });
    const planner = scripted([
      move('explore'),
      call('memory.search', { query: 'tides', limit: 3 }),
      move('decide'),
      finish('remembered'),
    ]);
    const judge = () => ({ effect: 'allow', why: '' }) as const;
    const middleware = standardChain({ tools, clock, sleep, judge });
    const engine = createEngine({ tools, planner, middleware, stores: { events, memory }, clock, sleep });
    expect(await (await engine.start(agent, { id: 'r' })).done).toMatchObject({ status: 'done' });
    expect(planner.asked.at(-1)?.evidence.map(({ output }) => output)).toContainEqual([
      { id: 'm1', text: 'about tides', who: 'me', at: '2030-01-01T00:00:00Z', score: 1 },
    ]);
    expect(dataOf(events.all, 'call.started')).toMatchObject([{ tool: 'memory.search', class: 'read' }]);
  });

  it('brings a run store, and another engine goes on from its snapshot without reading what came before', async () => {
    const { clock, sleep } = fakeTime();
    const stores = { events: memoryEvents(clock), runs: memoryRuns(), artifacts: memoryArtifacts() };
    const graph = graphOf([
      { kind: 'wait', id: 'w', for: { kind: 'question', text: 'Well?' } },
      { kind: 'tool', id: 'a', tool: 'look', needs: ['w'], input: '{{w}}' },
    ]);
    const tools = [toolNamed('look', (input) => ok(input))];
    const first = createEngine({ tools, stores, clock, sleep });
    expect(await (await first.start(graph, { id: 'r' })).done).toMatchObject({ status: 'blocked' });
    const read: number[] = [];
    const events = {
      ...stores.events,
      read: (filter: { run: string; from?: number }) => (read.push(filter.from ?? 1), stores.events.read(filter)),
    };
    const second = createEngine({ tools, stores: { ...stores, events }, clock, sleep });
    const answered = await second.answer('r', 'r.w.0.w0', { verdict: 'answered', text: 'yes', by: 'me' });
    expect(await answered.done).toMatchObject({ status: 'done', output: 'yes' });
    expect(read).toEqual([3]);
  });
});
