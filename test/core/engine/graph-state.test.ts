/** What graphs remember: written with the outcome of the node, compared with what is there, exactly once. */
import { describe, expect, it } from 'vitest';
import { graphState, memoryState, stateDigest } from '../../../src/core/engine/graph-state.ts';
import { createEngine } from '../../../src/core/engine/engine.ts';
import { readGraph } from '../../../src/core/engine/lower.ts';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import { readState } from '../../../src/rooms/graphs/kinds/read-state.ts';
import { writeState } from '../../../src/rooms/graphs/kinds/write-state.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Graph } from '../../../src/core/schema/graph.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { StateStore } from '../../../src/core/schema/ports.ts';
import type { Tool } from '../../../src/core/schema/tool.ts';
import { stateTools } from '../../../src/rooms/graphs/tools/state-tools.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { crashingEvents } from '../../support/engine-crash.ts';
import { dataOf, engineWith, fakeTime, memoryArtifacts, ok, type Seen, toolNamed } from '../../support/engine-fakes.ts';

const graph = (nodes: object[], rest: object = {}): Graph =>
  readGraph({ id: 'g', mode: 'flex', nodes, ...rest }, [readState, writeState]).graph;

const increment = toolNamed('increment', (input) => ok(Number(input ?? 0) + 1));

const toolsOver = (state: StateStore): Tool[] => [
  ...stateTools({ read: async (...names) => state.get(...names)?.value, artifacts: memoryArtifacts() }),
  increment,
];

function remembering(state = memoryState(), survived: readonly Event[] = []): Seen & { state: StateStore } {
  const tools = toolsOver(state);
  const { clock, sleep } = fakeTime();
  return {
    ...engineWith({ tools, middleware: standardChain({ tools, clock, sleep }), stores: { state } }, survived),
    state,
  };
}

async function finalOf({ engine }: Seen, of: Graph, id: string, input: Json = null) {
  return (await engine.start(of, { id, input })).done;
}

const set = (value: Json, rest: object = {}): Graph =>
  graph([{ kind: 'write_state', id: 'w', key: 'k', value, ...rest }]);
const get = graph([{ kind: 'read_state', id: 'r', key: 'k' }]);

describe('the state of a graph', () => {
  it('S1 is what the outcome of the write says, in the same event, and a later run reads it', async () => {
    const seen = remembering();
    expect(await finalOf(seen, set({ n: 1 }), 'a')).toMatchObject({
      status: 'done',
      output: { key: 'k', value: { n: 1 } },
    });
    expect(dataOf(seen.events, 'call.ended')).toMatchObject([
      { status: 'ok', settles: 'done', output: { key: 'k', value: { n: 1 } }, state: { namespace: 'g', key: 'k' } },
    ]);
    expect(await finalOf(seen, get, 'b')).toMatchObject({ output: { key: 'k', value: { n: 1 } } });
  });

  it('gives the default, or null, where there is no value, and none again after a deletion', async () => {
    const seen = remembering();
    const orZero = graph([{ kind: 'read_state', id: 'r', key: 'k', default: 0 }]);
    expect(await finalOf(seen, get, 'a')).toMatchObject({ output: { key: 'k', value: null } });
    await finalOf(seen, set('x'), 'b');
    expect(await finalOf(seen, orZero, 'c')).toMatchObject({ output: { value: 'x' } });
    await finalOf(seen, graph([{ kind: 'write_state', id: 'w', key: 'k', delete: true }]), 'd');
    expect(await finalOf(seen, orZero, 'e')).toMatchObject({ output: { value: 0 } });
    expect(seen.state.get('g', 'k')).toBeUndefined();
  });

  it('is that of the graph unless a namespace is named, and the value is the output before unless one is given', async () => {
    const seen = remembering();
    const shared = graph([
      { kind: 'tool', id: 'one', tool: 'increment', input: 0 },
      { kind: 'write_state', id: 'w', key: 'item {{input.id}}', namespace: 'stock', needs: ['one'] },
    ]);
    await finalOf(seen, shared, 'a', { id: 7 });
    expect(seen.state.get('stock', 'item 7')?.value).toBe(1);
    expect(seen.state.get('g', 'item 7')).toBeUndefined();
  });

  it('S2 is not written when another value is there than was expected: the node fails and says what it found', async () => {
    const seen = remembering();
    await finalOf(seen, set(1, { expect: null }), 'a');
    expect(await finalOf(seen, set(2, { expect: null }), 'b')).toMatchObject({
      status: 'failed',
      failure: {
        node: 'w',
        reason: 'the state "k" of g is 1 (written by run a), and no value was expected; nothing was written',
      },
    });
    expect(seen.state.get('g', 'k')).toMatchObject({ value: 1, run: 'a' });
    await finalOf(seen, set({ b: 2, a: 1 }, { expect: 1 }), 'c');
    await finalOf(seen, set(3, { expect: { a: 1, b: 2 } }), 'd');
    expect(seen.state.get('g', 'k')).toMatchObject({ value: 3, run: 'd' });
  });

  it('S3 contains no large value, only its hash, and a write still compares with it', async () => {
    const large = 'x'.repeat(100_000);
    const seen = remembering();
    await finalOf(seen, set(large), 'a');
    expect(dataOf(seen.events, 'call.ended').at(-1)?.output).toEqual({ key: 'k', value: large });
    expect(seen.state.get('g', 'k')).toEqual({ seq: 3, at: expect.any(String), run: 'a', digest: stateDigest(large) });
    expect(await finalOf(seen, set(1, { expect: 'y' }), 'b')).toMatchObject({ status: 'failed' });
    expect(await finalOf(seen, set(1, { expect: large }), 'c')).toMatchObject({ status: 'done' });
  });

  it('names an artifact where a value is larger than 256 KB', async () => {
    const huge = 'x'.repeat(300_000);
    const seen = remembering();
    await finalOf(seen, set(huge), 'a');
    const value = { artifact: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 300_002 };
    expect(dataOf(seen.events, 'call.ended')).toMatchObject([
      { output: { key: 'k', value }, artifacts: [{ bytes: 300_002 }] },
    ]);
    expect(await finalOf(seen, get, 'b')).toMatchObject({ output: { key: 'k', value } });
  });

  it('refuses acceptance where it is written, since nothing could be checked before', () => {
    const { problems } = readGraph(
      { id: 'g', mode: 'flex', nodes: [{ kind: 'write_state', id: 'w', key: 'k', acceptance: ['file: a'] }] },
      [writeState],
    );
    expect(problems()).toMatchObject([{ path: 'nodes.0.acceptance', rule: 'state' }]);
  });

  it('is written for every item of a map, under a key of its own', async () => {
    const seen = remembering();
    const each = { kind: 'write_state', id: 'one', key: 'item {{item}}' };
    await finalOf(seen, graph([{ kind: 'map', id: 'm', over: '{{input}}', each }]), 'a', ['x', 'y']);
    expect([seen.state.get('g', 'item x')?.value, seen.state.get('g', 'item y')?.value]).toEqual(['x', 'y']);
  });

  it('is not written by a call within a call, which may be repeated after a crash', async () => {
    const outer = toolNamed('outer', async (input, call) =>
      call.act('state.write', { namespace: 'g', key: 'k', value: input }),
    );
    const state = memoryState();
    const { engine } = engineWith({ tools: [...toolsOver(state), outer], stores: { state } });
    const run = await (await engine.start(graph([{ kind: 'tool', id: 'o', tool: 'outer', input: 1 }]), { id: 'a' }))
      .done;
    expect(run).toMatchObject({ status: 'failed', failure: { reason: expect.stringContaining('write_state node') } });
    expect(state.get('g', 'k')).toBeUndefined();
  });

  it('replays: the record says what was read, whatever the state is now', async () => {
    const seen = remembering();
    await finalOf(seen, set('then'), 'a');
    await finalOf(seen, get, 'b');
    await finalOf(seen, set('now'), 'c');
    const plan = await seen.engine.planFor(dataOf(seen.events, 'run.started')[1]?.graph.sha256 ?? '');
    const tools = new Map(toolsOver(memoryState()).map((tool) => [tool.name, tool]));
    const events = seen.events.filter(({ run }) => run === 'b');
    expect(replayDecisions(plan, events, (name) => tools.get(name))).toMatchObject({ decided: 2, difference: null });
    expect(dataOf(events, 'run.ended')).toMatchObject([{ output: { key: 'k', value: 'then' } }]);
  });
});

describe('two runs that count up with expect', () => {
  /** Reads, adds one, writes if nobody else has written since; otherwise from the start. */
  const counting = graph(
    [
      { kind: 'read_state', id: 'r', key: 'n' },
      { kind: 'tool', id: 'add', tool: 'increment', input: '{{r.value}}', needs: ['r'] },
      {
        kind: 'write_state',
        id: 'w',
        key: 'n',
        value: '{{add}}',
        expect: '{{r.value}}',
        needs: ['add'],
        on_error: 'fallback',
        fallback: 'again',
      },
    ],
    { edges: [{ from: 'w', to: 'r', when: { field: '', equals: 'again' }, max: 100 }] },
  );

  /** Drives both until they end or the world stops; what was durable then survives. */
  async function driveOnce(survived: readonly Event[], steps: number, runs: readonly string[]): Promise<Event[]> {
    const { clock, sleep } = fakeTime();
    const events = crashingEvents(clock, survived, steps);
    const state = memoryState();
    for (const event of survived) state.note(event);
    const engine = createEngine({ tools: toolsOver(state), clock, sleep, stores: { events, state, artifacts } });
    const drives = runs.map(async (id) => {
      const found = await engine.stateOf(id);
      if (found !== null && found.status !== 'running') return;
      await (found === null ? engine.start(counting, { id }) : engine.resume(id)).then(({ done }) => done);
    });
    await Promise.race([events.crash, Promise.all(drives.map((drive) => drive.catch(() => undefined)))]);
    return events.all.slice(0, events.hasCrashed() ? events.durable() : undefined);
  }
  const artifacts = memoryArtifacts();

  it('lose nothing, whenever they are killed', async () => {
    for (let steps = 1; steps < 40; steps += 1) {
      let events: Event[] = [];
      const runs = ['a', 'b', 'c'];
      events = await driveOnce(events, steps, runs);
      events = await driveOnce(events, steps + 7, runs);
      events = await driveOnce(events, Number.POSITIVE_INFINITY, runs);
      const writes = dataOf(events, 'call.ended').filter(({ state }) => state !== undefined);
      expect(
        writes.map(({ output }) => (output as { value: Json }).value),
        `killed after ${steps}`,
      ).toEqual([1, 2, 3]);
      expect(dataOf(events, 'run.ended').map(({ status }) => status)).toEqual(['done', 'done', 'done']);
      expect(events.reduce((state, event) => graphState.apply(state, event), graphState.initial())).toMatchObject({
        'g/n': { value: 3 },
      });
    }
  });

  it('would lose some without expect', async () => {
    const careless = {
      ...counting,
      nodes: counting.nodes.map((node) =>
        node.id === 'w' ? { ...node, input: { namespace: 'g', key: 'n', value: '{{add}}' } } : node,
      ),
    };
    const seen = remembering();
    await Promise.all(['a', 'b', 'c'].map((id) => finalOf(seen, careless, id)));
    expect(seen.state.get('g', 'n')?.value).toBeLessThan(3);
  });
});

describe('{{state.k}} in templates', () => {
  const say = { kind: 'tool', id: 'say', tool: 'say', input: 'was {{state.k}}, now {{last}}' };
  const echo = toolNamed('say', (input) => ok(input));

  function talking(): Seen & { state: StateStore } {
    const state = memoryState();
    return { ...engineWith({ tools: [...toolsOver(state), echo], stores: { state } }), state };
  }

  it('is the value when the node starts, which is recorded', async () => {
    const seen = talking();
    const both = graph([
      { kind: 'write_state', id: 'first', key: 'k', value: { n: [5] } },
      {
        ...say,
        input: { all: '{{state.k}}', one: 'n is {{ state.k.n.0 }}', none: '{{state.other}}' },
        needs: ['first'],
      },
    ]);
    expect(await finalOf(seen, both, 'a')).toMatchObject({
      status: 'done',
      output: { all: { n: [5] }, one: 'n is 5', none: null },
    });
    expect(dataOf(seen.events, 'call.started').map(({ node, tool }) => `${node} ${tool}`)).toEqual([
      'first state.write',
      'say__state state.values',
      'say say',
    ]);
  });

  it('leaves the default input, conditions of edges, loops and maps as they are', async () => {
    const seen = talking();
    const looping = graph(
      [
        { kind: 'tool', id: 'start', tool: 'increment', input: 0 },
        { ...say, input: { last: '{{last}}', k: '{{state.k}}' } },
        { kind: 'write_state', id: 'w', key: 'k', value: '{{say.last}}', needs: ['say'] },
        { kind: 'tool', id: 'check', tool: 'say', input: '{{say.k}}', needs: ['w'] },
        { kind: 'tool', id: 'never', tool: 'say', input: '{{state.k}}' },
        {
          kind: 'map',
          id: 'each',
          over: '{{input.list}}',
          each: { ...say, id: 'one', input: '{{item}} {{state.k}}' },
          needs: ['check'],
        },
      ],
      {
        edges: [
          { from: 'start', to: 'say', when: { field: '', equals: 1 } },
          { from: 'start', to: 'never', when: { field: '', equals: 2 } },
          { from: 'check', to: 'say', when: { field: '', equals: null }, max: 3 },
        ],
      },
    );
    expect(await finalOf(seen, looping, 'a', { list: ['x', 'y'] })).toMatchObject({
      status: 'done',
      output: ['x 1', 'y 1'],
    });
    expect(
      dataOf(seen.events, 'call.ended')
        .filter(({ node }) => node === 'say')
        .map(({ output }) => output),
    ).toEqual([
      { last: 1, k: null },
      { last: 1, k: 1 },
    ]);
    expect(dataOf(seen.events, 'node.settled').filter(({ status }) => status === 'skipped')).toMatchObject([
      { node: 'never__state', status: 'skipped' },
      { node: 'never', status: 'skipped' },
    ]);
    const plan = await seen.engine.planFor(dataOf(seen.events, 'run.started')[0]?.graph.sha256 ?? '');
    const tools = new Map([...toolsOver(memoryState()), echo].map((tool) => [tool.name, tool]));
    expect(replayDecisions(plan, seen.events, (name) => tools.get(name)).difference).toBeNull();
  });

  it('is the output of a node that is called state, and no problem has the place of what was added', () => {
    const named = graph([
      { kind: 'tool', id: 'state', tool: 'say' },
      { ...say, needs: ['state'] },
    ]);
    expect(named.nodes).toHaveLength(2);
    const { problems } = readGraph({ id: 'g', nodes: [say, { ...say, id: 'b', input: '{{state.k}} {{gone.x}}' }] });
    expect(problems().map(({ path }) => path.split('.').slice(0, 2).join('.'))).toEqual(
      expect.arrayContaining(['nodes.0', 'nodes.1']),
    );
    expect(problems().every(({ path }) => /^nodes\.[01]\b/.test(path))).toBe(true);
  });
});
