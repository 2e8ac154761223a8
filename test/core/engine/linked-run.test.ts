import { describe, expect, it } from 'vitest';
import { runTool } from '../../../src/rooms/desk/tools/run-tool.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Graph } from '../../../src/core/schema/graph.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import {
  dataOf,
  engineWith,
  failed,
  graphOf,
  memoryArtifacts,
  ok,
  type Seen,
  toolNamed,
} from '../../support/engine-fakes.ts';

const tool = (id: string, name: string, rest: object = {}): object => ({ kind: 'tool', id, tool: name, ...rest });

/** An engine whose tools note every call; `fails` fails, all others give their input. */
function world(graphs: Record<string, Graph> = {}, survived: readonly Event[] = [], artifacts = memoryArtifacts()) {
  const calls: [string, Json][] = [];
  const named = (name: string) =>
    toolNamed(name, (input) => {
      calls.push([name, input]);
      return name === 'fails' ? failed('no') : ok(input);
    });
  const start = runTool(({ graph, input, call }) => seen.engine.startChild(graph, input, call));
  const tools = [named('save'), named('fails'), named('send'), start];
  const seen: Seen = engineWith({ tools, graphs: (id) => graphs[id], stores: { artifacts } }, survived);
  return { ...seen, calls, artifacts };
}

const chain = (second: string, rest: object = {}): Graph =>
  graphOf([
    tool('a', 'save', { input: { n: '{{input}}' } }),
    tool('b', second, { needs: ['a'], ...rest }),
    tool('c', 'send', { needs: ['b'], input: '{{a.n}}' }),
  ]);

describe('a run that replays another', () => {
  it('does everything again with the same input, and names the run that it replays', async () => {
    const { engine, calls, events } = world();
    await (await engine.start(chain('send'), { id: 'r', input: 7 })).done;
    const again = await (await engine.startLinked({ id: 's', link: { kind: 'replay', run: 'r' } })).done;
    expect(again).toMatchObject({
      id: 's',
      status: 'done',
      output: 7,
      link: { kind: 'replay', run: 'r' },
      parent: null,
    });
    expect(calls).toHaveLength(6);
    expect(dataOf(events, 'run.started')[1]).toMatchObject({ input: 7, link: { kind: 'replay', run: 'r' } });
  });

  it('starts at a node with what was done before it', async () => {
    const { engine, calls } = world();
    await (await engine.start(chain('send'), { id: 'r', input: 7 })).done;
    const link = { kind: 'replay', run: 'r', node: 'c' } as const;
    expect(await (await engine.startLinked({ id: 's', link })).done).toMatchObject({ status: 'done', output: 7 });
    expect(calls.slice(3)).toEqual([['send', 7]]);
  });

  it('starts at the last visit of a node that was started over', async () => {
    const { engine, calls } = world();
    const loop = graphOf(
      [tool('a', 'save', { input: 1 }), tool('b', 'send', { needs: ['a'], input: { flag: true } })],
      {
        edges: [{ from: 'b', to: 'a', when: { field: 'flag', equals: true }, max: 1 }],
      },
    );
    await (await engine.start(loop, { id: 'r' })).done;
    expect(calls.map(([name]) => name)).toEqual(['save', 'send', 'save', 'send']);
    const patched = graphOf([tool('a', 'save', { input: 1 }), tool('b', 'send', { needs: ['a'], input: 2 })]);
    const link = { kind: 'replay', run: 'r', node: 'b' } as const;
    expect(await (await engine.startLinked({ id: 's', link, graph: patched })).done).toMatchObject({ status: 'done' });
    expect(calls.slice(4)).toEqual([['send', 2]]);
  });

  it('cannot start at a node that is not there, or that never ran', async () => {
    const { engine, events } = world();
    await (await engine.start(chain('fails'), { id: 'r' })).done;
    const written = events.length;
    const from = (node: string) => engine.startLinked({ id: 's', link: { kind: 'replay', run: 'r', node } });
    await expect(from('x')).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('no node "x"') });
    await expect(from('c')).rejects.toMatchObject({ message: expect.stringContaining('"c" did not run in r') });
    expect(events).toHaveLength(written);
  });
});

describe('a run that resumes a failed one', () => {
  const resume = (engine: Seen['engine'], graph?: Graph, id = 's') =>
    engine.startLinked({ id, link: { kind: 'resume', run: 'r' }, ...(graph === undefined ? {} : { graph }) });

  it('runs the graph as it is now from the node that failed, and repeats nothing', async () => {
    const { engine, calls } = world();
    await (await engine.start(chain('fails'), { id: 'r', input: 7 })).done;
    const run = await (await resume(engine, chain('send', { title: 'now with send', timeout_seconds: 9 }))).done;
    expect(run).toMatchObject({ status: 'done', output: 7, parent: 'r', link: { kind: 'resume', run: 'r' } });
    expect(calls).toEqual([
      ['save', { n: 7 }],
      ['fails', { n: 7 }],
      ['send', { n: 7 }],
      ['send', 7],
    ]);
  });

  it('is refused with every node that is done and is another one now, and nothing is written', async () => {
    const { engine, events } = world();
    await (await engine.start(chain('fails'), { id: 'r' })).done;
    const written = events.length;
    const other = graphOf([tool('a', 'send', { input: 3 }), tool('b', 'send', { needs: ['a'] })]);
    await expect(resume(engine, other)).rejects.toMatchObject({
      code: 'invalid-graph',
      message: expect.stringContaining('a is done, and has changed: input, tool'),
      fix: expect.stringContaining('--from <node>'),
    });
    await expect(resume(engine, graphOf([tool('b', 'send')]))).rejects.toThrow('a is done, and is no longer there');
    expect(events).toHaveLength(written);
  });

  it('is for runs that failed, and has a name of its own', async () => {
    const { engine } = world();
    await (await engine.start(chain('send'), { id: 'r' })).done;
    await expect(resume(engine)).rejects.toMatchObject({ code: 'run-is-over' });
    await expect(engine.startLinked({ id: 'r', link: { kind: 'replay', run: 'r' } })).rejects.toThrow('already');
  });

  it('is started once, however many ask for it at the same time', async () => {
    const { engine, calls, events } = world();
    await (await engine.start(chain('fails'), { id: 'r', input: 7 })).done;
    const before = calls.length;
    const asked = await Promise.allSettled([1, 2, 3].map(() => resume(engine, chain('send'))));
    expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    for (const each of asked) if (each.status === 'fulfilled') await each.value.done;
    expect(events.filter(({ type, run }) => type === 'run.started' && run === 's')).toHaveLength(1);
    expect(calls.slice(before)).toHaveLength(2);
  });

  it('continues the graphs inside that failed, too, with their graphs as they are now', async () => {
    const graphs = { inner: { ...chain('fails'), id: 'inner' } };
    const { engine, calls } = world(graphs);
    const outer = graphOf([tool('first', 'save'), { kind: 'graph', id: 'g', graph: 'inner', needs: ['first'] }]);
    expect(await (await engine.start(outer, { id: 'r', input: 1 })).done).toMatchObject({ status: 'failed' });
    graphs.inner = { ...chain('send'), id: 'inner' };
    expect(await (await resume(engine, { ...outer, title: 'patched' })).done).toMatchObject({
      status: 'done',
      output: 1,
    });
    expect(calls.map(([name]) => name)).toEqual(['save', 'save', 'fails', 'send', 'send']);
  });

  it('has all that was done, also when a crash has cut off its first events', async () => {
    const wide = (last: string): Graph =>
      graphOf([tool('a', 'save'), tool('b', 'save'), tool('c', 'save'), tool('d', last, { needs: ['a', 'b', 'c'] })]);
    const first = world();
    await (await first.engine.start(wide('fails'), { id: 'r' })).done;
    await (await resume(first.engine, wide('send'))).done;
    const start = first.events.findIndex(({ type, run }) => type === 'run.started' && run === 's');
    for (const left of [1, 2, 3, 4]) {
      const { engine, calls, events } = world({}, first.events.slice(0, start + left), first.artifacts);
      expect(await (await engine.resume('s')).done).toMatchObject({ status: 'done' });
      expect(calls).toEqual([['send', null]]);
      expect(dataOf(events, 'node.settled').map(({ node }) => node)).toEqual(['a', 'b', 'c']);
    }
  });
});
