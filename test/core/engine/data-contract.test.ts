import { describe, expect, it } from 'vitest';
import { readGraph } from '../../../src/core/engine/lower.ts';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import { writeState } from '../../../src/rooms/graphs/kinds/write-state.ts';
import { runTool } from '../../../src/rooms/desk/tools/run-tool.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { NodeKind } from '../../../src/core/schema/node-kind.ts';
import { dataOf, engineWith, graphOf, memoryArtifacts, ok, toolNamed } from '../../support/engine-fakes.ts';

const number = { type: 'number' };
const priced = { type: 'object', required: ['price'], properties: { price: number } };
const look = toolNamed('look', () => ok({ price: 'cheap' }));
const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });

async function run(nodes: object[], input: Json = null, more: object = {}, kinds: NodeKind[] = []) {
  const { graph, problems } = readGraph({ id: 'g', mode: 'flex', nodes, ...more }, kinds);
  expect(problems()).toEqual([]);
  const seen = engineWith({ tools: [look], stores: { artifacts: memoryArtifacts() } });
  const { engine, events } = seen;
  const ended = await (await engine.start(graph, { id: 'r', input })).done;
  const plan = await engine.planFor(ended.plan.sha256);
  expect(replayDecisions(plan, events, () => look).difference).toBeNull();
  return { ended, called: dataOf(events, 'call.started').map(({ node }) => node) };
}

describe('schemas of nodes', () => {
  it('a node whose input does not fit fails before it calls anything', async () => {
    const { ended, called } = await run([tool('a', { input_schema: priced })], { price: 'cheap' });
    expect(ended).toMatchObject({ status: 'failed', reason: expect.stringMatching(/a: its input.*price/) as string });
    expect(called).toEqual([]);
    expect((await run([tool('a', { input_schema: priced })], { price: 3 })).ended.status).toBe('done');
  });

  it('a call whose output does not fit has failed, is not tried again, and on_error counts', async () => {
    const node = { output_schema: priced, max_retries: 2 };
    const plain = await run([tool('a', node)]);
    expect(plain.ended).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/its output.*price/) as string,
    });
    expect(plain.called).toEqual(['a']);
    const fallback = await run([tool('a', { ...node, on_error: 'fallback', fallback: { price: 0 } })]);
    expect(fallback.ended).toMatchObject({ status: 'done', output: { price: 0 } });
  });

  it('holds for nodes that call nothing and for items of a map', async () => {
    const made = { kind: 'transform', id: 't', value: { price: '{{input.price}}' }, output_schema: priced };
    expect((await run([made], { price: 1 })).ended.status).toBe('done');
    expect((await run([made], { price: 'x' })).ended.status).toBe('failed');
    const each = { ...made, id: 'x', value: '{{item}}' };
    const map = { kind: 'map', id: 'm', over: '{{input}}', each };
    expect((await run([map], [{ price: 1 }, { price: 2 }])).ended.status).toBe('done');
    expect((await run([map], [{ price: 1 }, {}])).ended.status).toBe('failed');
  });

  it('the input of a contributed kind is what the node is given, not what its instruction is', () => {
    const node = { kind: 'write_state', id: 'w', key: 'k', needs: ['a'], input_schema: priced };
    const { graph } = readGraph({ id: 'g', mode: 'flex', nodes: [tool('a'), node] }, [writeState]);
    expect(graph.nodes.map(({ id, needs }) => [id, needs])).toEqual([
      ['a', []],
      ['w__input', ['a']],
      ['w', ['w__input']],
    ]);
  });

  it('a schema where it would not be enforced, or that is none, is a problem', () => {
    const agent = { kind: 'agent', id: 'a', goal: 'g', output_schema: priced };
    expect(readGraph({ id: 'g', mode: 'flex', nodes: [agent] }).problems()).toMatchObject([
      { path: 'nodes.0.output_schema' },
    ]);
    expect(() => readGraph({ id: 'g', nodes: [tool('a', { input_schema: { kind: 'x' } })] })).toThrow(/not supported/);
  });
});

it('a run of a graph with inputs is not started with anything else', async () => {
  const { engine, events } = engineWith({ tools: [look], stores: { artifacts: memoryArtifacts() } });
  const graph = graphOf([tool('a')], { inputs: priced });
  await expect(engine.start(graph, { id: 'wrong', input: { price: 'x' } })).rejects.toThrow(
    /cannot take this input: input\.price/,
  );
  expect(events).toEqual([]);
  expect((await (await engine.start(graph, { id: 'right', input: { price: 1 } })).done).status).toBe('done');
});

it('neither is one inside another graph: the node that starts it fails with the reason', async () => {
  const inner = graphOf([tool('a')], { id: 'inner', inputs: priced });
  const seen: ReturnType<typeof engineWith> = engineWith({
    tools: [look, runTool(({ graph, input, call }) => seen.engine.startChild(graph, input, call))],
    graphs: (id) => (id === 'inner' ? inner : undefined),
  });
  const outer = graphOf([{ kind: 'graph', id: 'g', graph: 'inner', input: { price: '{{input.n}}' } }]);
  const wrong = await (await seen.engine.start(outer, { id: 'r', input: { n: 'x' } })).done;
  expect(wrong).toMatchObject({
    status: 'failed',
    reason: expect.stringContaining('cannot take this input') as string,
  });
  expect((await (await seen.engine.start(outer, { id: 's', input: { n: 1 } })).done).status).toBe('done');
});

describe('comparisons are tried on the types that are known before a run', () => {
  const outputs = (name: string): Json | undefined =>
    name === 'shell'
      ? { type: 'object', properties: { stdout: { type: 'string' }, exit: { type: ['integer', 'null'] } } }
      : undefined;
  const shell = { kind: 'tool', id: 'count', tool: 'shell', input: { line: 'wc -l < a.txt' } };
  const compare = (rest: object): object => ({ kind: 'typed_condition', id: 'many', needs: ['count'], ...rest });
  const problemsOf = (nodes: object[], more: object = {}, known = true): string[] =>
    readGraph({ id: 'g', mode: 'flex', nodes, ...more })
      .problems(known ? { outputs } : {})
      .map(({ path, problem }) => `${path}: ${problem}`);

  it('what a command prints is text, and no number', () => {
    const nodes = [shell, compare({ left: '{{count.stdout}}', operator: 'gt', right: 3 })];
    expect(problemsOf(nodes)).toEqual(['nodes.1: gt cannot compare text with number']);
    expect(problemsOf(nodes, {}, false), 'where tools are not known').toEqual([]);
    expect(problemsOf([shell, compare({ left: '{{count.stdout}}', operator: 'contains', right: '3' })])).toEqual([]);
  });

  it('also by the field of what the node is given, and handed on by a transform', () => {
    expect(problemsOf([shell, compare({ field: 'stdout', operator: 'lt', right: 3 })])).toHaveLength(1);
    const handed = { kind: 'transform', id: 'hand', needs: ['count'], value: { lines: '{{count.stdout}}' } };
    const last = compare({ needs: ['hand'], left: '{{hand.lines}}', operator: 'eq', right: 3 });
    expect(problemsOf([shell, handed, last])).toEqual(['nodes.2: eq cannot compare text with number']);
  });

  it('by the schemas of people, which go before those of tools', () => {
    const inputs = { type: 'object', properties: { most: number } };
    const byInput = compare({ left: '{{count.stdout}}', operator: 'gt', right: '{{input.most}}' });
    expect(problemsOf([shell, byInput], { inputs })).toHaveLength(1);
    const promised = { ...shell, output_schema: { type: 'object', properties: { stdout: number } } };
    expect(problemsOf([promised, byInput], { inputs })).toEqual([]);
  });

  it('what only a run can know is no problem: other types at once, failures that go on, pins, unknown tools', () => {
    const late = compare({ left: '{{count.stdout}}', operator: 'gt', right: 3 });
    expect(problemsOf([{ ...shell, on_error: 'continue' }, late])).toEqual([]);
    expect(problemsOf([shell, late], { pins: { count: { stdout: 4 } } })).toEqual([]);
    expect(problemsOf([{ ...shell, tool: 'look' }, late])).toEqual([]);
    expect(problemsOf([shell, compare({ left: '{{count.exit}}', operator: 'gt', right: 3 })])).toEqual([]);
  });
});
