import { describe, expect, it } from 'vitest';
import { replayDecisions, replayFully } from '../../../src/core/engine/replay-run.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Graph } from '../../../src/core/schema/graph.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Tool } from '../../../src/core/schema/tool.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { engineWith, failed, graphOf, latch, ok, toolNamed } from '../../support/engine-fakes.ts';
import { planFor } from '../../support/engine-state.ts';

const tool = (id: string, name: string, rest: object = {}): object => ({ kind: 'tool', id, tool: name, ...rest });
const book = (tools: readonly Tool[]) => (name: string) => tools.find((each) => each.name === name);

async function eventsOfRun(graph: Graph, tools: readonly Tool[]): Promise<readonly Event[]> {
  const middleware = standardChain({
    tools,
    clock: () => 0,
    sleep: async () => undefined,
    judge: () => ({ effect: 'allow', why: '' }),
  });
  const { engine, events } = engineWith({ tools, middleware });
  await (await engine.start(graph, { id: 'r', input: [1, 2] })).done;
  return events;
}

describe('replayDecisions', () => {
  const graph = graphOf([
    tool('a', 'look'),
    { kind: 'map', id: 'm', needs: ['a'], over: '{{input}}', each: tool('x', 'write') },
    tool('b', 'shaky', { needs: ['m'], max_retries: 2 }),
  ]);
  let times = 0;
  const tools = [
    toolNamed('look', () => ok(3)),
    toolNamed('write', (input) => ok(input), { class: 'write_local' }),
    toolNamed('shaky', () => ((times += 1) % 2 === 1 ? failed('no') : ok())),
  ];

  it('finds the same decisions again; retries and outcomes are what happened, not what was decided', async () => {
    const events = await eventsOfRun(graph, tools);
    expect(replayDecisions(planFor(graph), events, book(tools))).toEqual({
      events: events.length,
      decided: 6,
      difference: null,
    });
  });

  it.each<[string, (event: Event) => Event | null, number]>([
    [
      'another input',
      (event) =>
        event.type === 'call.started' && event.data.node === 'm__1'
          ? { ...event, data: { ...event.data, input: 9 } }
          : event,
      5,
    ],
    [
      'a call under another name',
      (event) =>
        event.type === 'call.started' && event.data.node === 'a'
          ? { ...event, data: { ...event.data, call: 'r.a.0.2' } }
          : event,
      2,
    ],
    [
      'an end that came too early',
      (event) => (event.type === 'call.ended' && event.data.node === 'b' && event.data.retried !== true ? null : event),
      13,
    ],
  ])('reports %s with its place', async (_, change, seq) => {
    const events = (await eventsOfRun(graph, tools)).flatMap((event) => change(event) ?? []);
    const { difference } = replayDecisions(planFor(graph), events, book(tools));
    expect(difference?.seq).toBe(seq);
  });

  it('the class a call had is part of what happened: another policy today makes no difference', async () => {
    const events = await eventsOfRun(graph, tools);
    const stricter = tools.map((each) => ({ ...each, classOf: () => 'external_mutation' as const }));
    expect(replayDecisions(planFor(graph), events, book(stricter)).difference).toBeNull();
    expect(replayDecisions(planFor(graph), events, () => undefined).difference).toBeNull();
  });

  it('a linked run replays, with what it keeps and what is in doubt in it', async () => {
    const gate = latch<ReturnType<typeof ok>>();
    let tries = 0;
    const some = [
      toolNamed('look', () => ok(3)),
      toolNamed('send', () => new Promise(() => undefined), { class: 'external_mutation' }),
      toolNamed('shaky', () => ((tries += 1) === 1 ? gate.promise : ok())),
    ];
    const nodes = graphOf([
      tool('a', 'look'),
      tool('b', 'shaky', { needs: ['a'] }),
      tool('c', 'send', { needs: ['a'] }),
    ]);
    const { engine } = engineWith({ tools: some });
    await engine.start(nodes, { id: 'r' });
    await new Promise((resolve) => void setImmediate(resolve));
    gate.resolve(failed('no'));
    await new Promise((resolve) => void setImmediate(resolve));
    await engine.stop('r', { kind: 'stop', reason: 'x' });
    await (await engine.resume('r')).done;
    const { run } = await engine.resume('r');
    await engine.answer(run.id, `${run.id}.c.0.w0`, { verdict: 'answered', text: 'done' }).catch(() => undefined);
    await new Promise((resolve) => void setImmediate(resolve));
    for (const id of ['r', 'r-again'])
      expect(replayDecisions(planFor(nodes), await engine.eventsOf(id), book(some)).difference).toBeNull();
  });

  it('needs the beginning', () => {
    expect(() => replayDecisions(planFor(graph), [], () => undefined)).toThrow('a run begins with run.started');
  });
});

describe('replayFully', () => {
  it('does again what is idempotent or only reads and compares; the rest stands as recorded', async () => {
    let world: Json = 'then';
    const done: string[] = [];
    const named = (name: string, kind: Parameters<typeof toolNamed>[2]): Tool =>
      toolNamed(name, () => (done.push(name), name === 'same' ? ok(1) : ok(world)), kind);
    const tools = [
      named('same', {}),
      named('changed', {}),
      named('write', { class: 'write_local' }),
      named('note', { class: 'write_local', annotations: { idempotent: true } }),
      named('send', { class: 'external_mutation', annotations: { idempotent: true } }),
    ];
    const names = tools.map(({ name }) => name);
    const events = await eventsOfRun(graphOf(names.map((name) => tool(name, name))), tools);
    world = 'now';
    done.length = 0;
    const compared = await replayFully(
      events,
      new Map(tools.map((each) => [each.name, each])),
      new AbortController().signal,
    );
    expect(compared.map(({ tool: name, state }) => [name, state])).toEqual([
      ['same', 'same'],
      ['changed', 'differs'],
      ['write', 'recorded'],
      ['note', 'differs'],
      ['send', 'recorded'],
    ]);
    expect(done).toEqual(['same', 'changed', 'note']);
  });
});
