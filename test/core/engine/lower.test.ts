import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { explainRun } from '../../../src/kit/views/explanation.ts';
import { readGraph } from '../../../src/core/engine/lower.ts';
import { replayDecisions, replayFully } from '../../../src/core/engine/replay-run.ts';
import { simulate } from '../../../src/core/engine/simulate-graph.ts';
import { jsonSchemaOf } from '../../../src/core/schema/catalog.ts';
import { graphSchemaWith, type NodeKind, partId } from '../../../src/core/schema/node-kind.ts';
import { dataOf, engineWith, fakeTime, failed, memoryArtifacts, ok, toolNamed } from '../../support/engine-fakes.ts';

/** A kind of two instructions: weighs something, then compares the weight with a limit. */
const weigh: NodeKind = {
  kind: 'weigh',
  about: 'Says whether something is too heavy.',
  fields: { what: z.string().describe('What is weighed.'), most: z.number().describe('The limit.') },
  lower: (node) => {
    const scale = partId(node, 'scale');
    return [
      { kind: 'tool', id: scale, tool: 'scale', input: { what: node['what'] ?? null } },
      { kind: 'tool', id: node.id, tool: 'compare', needs: [scale], input: [`{{${scale}}}`, node['most'] ?? null] },
    ];
  },
};

const scale = toolNamed('scale', (input) => ok(JSON.stringify(input).length), { annotations: { idempotent: true } });
const compare = toolNamed('compare', (input) =>
  ok({ heavy: Array.isArray(input) && Number(input[0]) > Number(input[1]) }),
);
const look = toolNamed('look', (input) => ok(input));
const tools = [scale, compare, look];

const source = {
  id: 'g',
  mode: 'flex',
  nodes: [
    { kind: 'tool', id: 'first', tool: 'look', input: 'x' },
    { kind: 'weigh', id: 'w', needs: ['first'], what: 'a stone', most: 5, title: 'Weigh it' },
    { kind: 'tool', id: 'heavy', tool: 'look', input: '{{w.heavy}}' },
    { kind: 'tool', id: 'light', tool: 'look' },
  ],
  edges: [
    { from: 'w', to: 'heavy', when: { field: 'heavy', equals: true } },
    { from: 'w', to: 'light', when: { field: 'heavy', equals: false } },
  ],
};

async function ran(graph = readGraph(source, [weigh]).graph) {
  const seen = engineWith({ tools, stores: { artifacts: memoryArtifacts() } });
  const run = await (await seen.engine.start(graph, { id: 'r' })).done;
  const plan = await seen.engine.planFor(run.plan.sha256);
  return { ...seen, run, plan };
}

describe('a contributed node kind', () => {
  it('runs as the instructions it is lowered to, between the nodes around it', async () => {
    const { run, events } = await ran();
    expect(run.status).toBe('done');
    expect(dataOf(events, 'call.started').map(({ node, input }) => [node, input])).toEqual([
      ['first', 'x'],
      ['w__scale', { what: 'a stone' }],
      ['w', [18, 5]],
      ['heavy', true],
    ]);
    expect(dataOf(events, 'run.started')[0]?.nodes.map(({ id, title }) => [id, title])).toContainEqual([
      'w',
      'Weigh it',
    ]);
  });

  it('is replayed from its instructions, without the kind: every decision, and every tool that may be called again', async () => {
    const { plan, events } = await ran();
    const named = new Map(tools.map((tool) => [tool.name, tool]));
    const decisions = replayDecisions(plan, events, (name) => named.get(name));
    expect(decisions).toMatchObject({ difference: null, events: events.length });
    const compared = await replayFully(events, named, new AbortController().signal);
    expect(compared.map(({ state }) => state)).toEqual(['same', 'same', 'same', 'same']);
  });

  it('is explained and simulated like all others', async () => {
    const { events } = await ran();
    const actions = explainRun(events).actions.map(({ node, status }) => [node, status]);
    expect(actions).toContainEqual(['w__scale', 'ok']);
    expect(actions).toContainEqual(['w', 'ok']);
    const { clock, sleep } = fakeTime();
    const simulated = await simulate({ tools, clock, sleep }, readGraph(source, [weigh]).graph, null);
    expect(simulated.calls.map(({ node }) => node)).toEqual(['first', 'w__scale', 'w', 'heavy', 'light']);
  });

  it('continues after a failure with the instructions that were done', async () => {
    let isBroken = true;
    const breaking = toolNamed('compare', () => (isBroken ? failed('no') : ok({ heavy: false })));
    const { engine, events } = engineWith({ tools: [scale, breaking, look] });
    const { graph } = readGraph(source, [weigh]);
    expect(await (await engine.start(graph, { id: 'r' })).done).toMatchObject({ status: 'failed' });
    isBroken = false;
    expect(await (await engine.resume('r')).done).toMatchObject({ status: 'done' });
    expect(dataOf(events, 'call.started').filter(({ node }) => node === 'w__scale')).toHaveLength(1);
  });

  it('N2 an edge leads to its first instructions: a branch that is not taken skips all of it', async () => {
    const { graph } = readGraph(
      {
        ...source,
        nodes: [
          { kind: 'tool', id: 'a', tool: 'look', input: 'x' },
          { kind: 'weigh', id: 'w', what: 'y', most: 1 },
        ],
        edges: [{ from: 'a', to: 'w', when: { field: '', equals: 'z' } }],
      },
      [weigh],
    );
    const { run, events } = await ran(graph);
    expect(run.status).toBe('done');
    expect(dataOf(events, 'node.settled').map(({ node, status }) => [node, status])).toEqual([
      ['w__scale', 'skipped'],
      ['w', 'skipped'],
    ]);
  });

  it('N3 bounds count for each instruction, acceptance and fallback for the last', () => {
    const node = { ...source.nodes[1], timeout_seconds: 9, max_retries: 1, on_error: 'fallback', fallback: 7 };
    const { graph } = readGraph({ ...source, nodes: [source.nodes[0], node], edges: [] }, [weigh]);
    expect(graph.nodes.slice(1)).toMatchObject([
      { id: 'w__scale', timeout_seconds: 9, max_retries: 1, on_error: 'fail', needs: ['first'] },
      { id: 'w', timeout_seconds: 9, max_retries: 1, on_error: 'fallback', fallback: 7, title: 'Weigh it' },
    ]);
  });
});

describe('the step of a map', () => {
  const twice: NodeKind = {
    kind: 'twice',
    about: 'Shows a value twice.',
    fields: { value: z.string().describe('What is shown.') },
    lower: (node) => [{ kind: 'tool', id: node.id, tool: 'look', input: [node['value'] ?? '', node['value'] ?? ''] }],
  };
  const mapOver = (each: object) => ({
    id: 'g',
    nodes: [
      { kind: 'map', id: 'all', over: '{{input}}', each: { id: 'one', ...each }, timeout_seconds: 5, max_retries: 0 },
    ],
  });
  const bounds = { timeout_seconds: 5, max_retries: 0 };

  it('N5 may be of a contributed kind that becomes one instruction', async () => {
    const { graph, problems } = readGraph(mapOver({ kind: 'twice', value: '{{item}}', ...bounds }), [twice]);
    expect(problems()).toEqual([]);
    const { engine } = engineWith({ tools, stores: { artifacts: memoryArtifacts() } });
    const run = await (await engine.start(graph, { id: 'r', input: ['a', 'b'] })).done;
    expect(run.nodes[0]?.output).toEqual([
      ['a', 'a'],
      ['b', 'b'],
    ]);
  });

  it('N5 is refused for a kind that becomes several, with what to do instead', () => {
    expect(() => readGraph(mapOver({ kind: 'weigh', what: 'a stone', most: 5, ...bounds }), [weigh])).toThrow(
      '"all": a "weigh" cannot be the step of a map',
    );
  });

  it('N4 has its problems reported at what was written', () => {
    const missing: NodeKind = { ...twice, lower: (node) => [{ kind: 'tool', id: node.id, tool: 'nowhere' }] };
    const { problems } = readGraph(mapOver({ kind: 'twice', value: 'x', ...bounds }), [missing]);
    expect(problems({ tools: new Set(['look']) }).map(({ path }) => path)).toEqual(['nodes.0.each']);
  });
});

describe('a graph with contributed kinds that is wrong', () => {
  const known = { tools: new Set(['look', 'compare']) };

  it('N4 is reported with the places in what was written', () => {
    const edges = [...source.edges, { from: 'w', to: 'nowhere' }];
    const { problems } = readGraph({ ...source, edges, mode: 'bounded' }, [weigh]);
    expect(problems(known).map(({ path, problem }) => ({ path, problem }))).toEqual(
      expect.arrayContaining([
        { path: 'nodes.1', problem: 'there is no tool "scale"' },
        { path: 'nodes.1.timeout_seconds', problem: 'mode bounded needs timeout_seconds' },
        { path: 'nodes.2.timeout_seconds', problem: 'mode bounded needs timeout_seconds' },
        { path: 'edges.2.to', problem: 'there is no node "nowhere"' },
      ]),
    );
  });

  it('has the fields of its kind checked by the schema of the kind', () => {
    const wrong = { ...source, nodes: [{ kind: 'weigh', id: 'w', what: 'y', most: 'much', more: 1 }], edges: [] };
    expect(() => readGraph(wrong, [weigh])).toThrow(/nodes\.0\.most: .*number.*[\s\S]*nodes\.0: .*more/);
    expect(() => readGraph({ ...source, edges: [] }, [])).toThrow(/nodes\.1\.kind/);
  });

  it('is the fault of the kind when its instructions have other names', () => {
    const lost: NodeKind = { ...weigh, lower: () => [{ kind: 'tool', id: 'other', tool: 'look' }] };
    expect(() => readGraph(source, [lost])).toThrow(/the node kind "weigh" lowers "w"/);
  });
});

it('the schema of graphs describes contributed kinds, too', () => {
  const text = JSON.stringify(jsonSchemaOf(graphSchemaWith([weigh])));
  expect(text).toContain('"const":"weigh"');
  expect(text).toContain('What is weighed.');
  expect(text).toContain('"const":"map"');
});

it('a kind that there is not is named, with the one that was probably meant', () => {
  const read = (): unknown => readGraph({ id: 'g', nodes: [{ kind: 'typed_conditon', id: 'a' }] });
  expect(read).toThrow(/nodes\.0\.kind: there is no kind of node "typed_conditon"\. Did you mean "typed_condition"\?/);
});
