import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGraph } from '../../../src/core/engine/lower.ts';
import { replayDecisions } from '../../../src/core/engine/replay-run.ts';
import { simulate } from '../../../src/core/engine/simulate-graph.ts';
import { jsonSchemaOf } from '../../../src/core/schema/catalog.ts';
import { graphSchemaWith } from '../../../src/core/schema/node-kind.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { explainRun } from '../../../src/kit/views/explanation.ts';
import { dataOf, engineWith, fakeTime, memoryArtifacts, ok, toolNamed } from '../../support/engine-fakes.ts';

const look = toolNamed('look', (input) => ok(input));
const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });
const expensive = { kind: 'typed_condition', id: 'c', field: 'price', operator: 'gt', right: 40 };
const source = {
  id: 'g',
  mode: 'flex',
  nodes: [{ ...expensive, branches: { true: 'alarm' } }, tool('alarm'), tool('rest')],
  edges: [{ from: 'c', to: 'rest', option: 'false' }],
};

async function run(graph: object, input: Json) {
  const seen = engineWith({ tools: [look], stores: { artifacts: memoryArtifacts() } });
  const ended = await (await seen.engine.start(readGraph(graph).graph, { id: 'r', input })).done;
  const settled = dataOf(seen.events, 'node.settled').map(({ node, status }) => `${node} ${status}`);
  const called = dataOf(seen.events, 'call.started').map(({ node }) => node);
  return { ...seen, run: ended, settled, called };
}

describe('branches that a node names', () => {
  it('an edge with an option and a branch of the node are followed when the condition chooses them', async () => {
    const cheap = await run(source, { price: 40 });
    expect([cheap.settled, cheap.called]).toEqual([['c done', 'alarm skipped'], ['rest']]);
    const dear = await run(source, { price: 41 });
    expect([dear.settled, dear.called]).toEqual([['c done', 'rest skipped'], ['alarm']]);
    expect(dear.run).toMatchObject({ status: 'done', output: { branch: 'true', value: 41 } });
  });

  it('the reason says what was compared, and an error of types fails the node with both types', async () => {
    const { events } = await run(source, { price: 41 });
    expect(dataOf(events, 'node.settled')[0]).toMatchObject({ node: 'c', reason: '41 gt 40' });
    expect(explainRun(events).timeline).toContainEqual(expect.objectContaining({ what: 'c done', why: '41 gt 40' }));
    const wrong = await run(source, { price: '41' });
    expect(wrong.run).toMatchObject({
      status: 'failed',
      reason: 'c: gt cannot compare the text "41" with the number 40',
    });
    expect(wrong.called).toEqual([]);
  });

  it('is decided again in a replay, and simulated with the branch that its input leads to', async () => {
    const { engine, run: ended, events } = await run(source, { price: 41 });
    const plan = await engine.planFor(ended.plan.sha256);
    expect(replayDecisions(plan, events, () => look).difference).toBeNull();
    const { clock, sleep } = fakeTime();
    const nodesFor = async (input: Json | undefined): Promise<unknown> => {
      const { status, calls } = await simulate({ tools: [look], clock, sleep }, readGraph(source).graph, input);
      return [status, calls.map(({ node }) => node)];
    };
    expect(await nodesFor({ price: 41 })).toEqual(['done', ['alarm']]);
    expect(await nodesFor({ price: 20 })).toEqual(['done', ['rest']]);
    expect(await nodesFor(undefined)).toEqual(['done', ['alarm', 'rest']]);
  });

  it('a condition may be the step of a map and end a loop', async () => {
    const mapped = await run(
      { id: 'g', mode: 'flex', nodes: [{ kind: 'map', id: 'm', over: '{{input}}', each: { ...expensive, id: 'x' } }] },
      [{ price: 1 }, { price: 50 }],
    );
    expect(mapped.run.output).toEqual([
      { branch: 'false', value: 1 },
      { branch: 'true', value: 50 },
    ]);
    const looped = await run(
      {
        id: 'g',
        mode: 'flex',
        nodes: [tool('a', { input: 5 }), { kind: 'typed_condition', id: 'c', needs: ['a'], operator: 'eq', right: 5 }],
        edges: [{ from: 'c', to: 'a', option: 'true', max: 2 }],
      },
      null,
    );
    expect(looped.called).toEqual(['a', 'a', 'a']);
    expect(looped.run.status).toBe('failed');
  });

  it.each<[string, object, string]>([
    ['an unknown option', { edges: [{ from: 'c', to: 'rest', option: 'yes' }] }, 'edges.0: "c" has no branch "yes"'],
    [
      'a branch that is a boolean',
      { edges: [{ from: 'c', to: 'rest', when: { field: 'branch', equals: false } }] },
      'edges.0: "c" has no branch false',
    ],
    [
      'an unknown name in branches',
      { nodes: [{ ...expensive, branches: { maybe: 'rest' } }, tool('rest')], edges: [] },
      'nodes.0.branches.maybe: "c" has no branch "maybe"',
    ],
    [
      'a branch to nowhere',
      { nodes: [{ ...expensive, branches: { true: 'nobody' } }], edges: [] },
      'nodes.0.branches.true: there is no node "nobody"',
    ],
    [
      'an edge with two conditions',
      { edges: [{ from: 'c', to: 'rest', option: 'true', when: { field: 'x', equals: 1 } }] },
      'edges.0: an edge has either option or when, and not both',
    ],
    [
      'a condition in a map that cannot be compared',
      {
        nodes: [
          {
            kind: 'map',
            id: 'm',
            over: '{{input}}',
            each: { kind: 'typed_condition', id: 'x', left: 'a', operator: 'gt', right: 40 },
          },
        ],
        edges: [],
      },
      'nodes.0.each: gt cannot compare text with number',
    ],
  ])('reports %s at the place where it was written', (_, change, problem) => {
    const { problems } = readGraph({ ...source, ...change });
    expect(problems().map((each) => `${each.path}: ${each.problem}`)).toEqual([problem]);
  });

  it('a graph that names branches twice, as edges and at the node, runs as one that names them once', async () => {
    await fc.assert(
      fc.asyncProperty(chains, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), async (depth, answers) => {
        const written = [chain(depth, 'edges'), chain(depth, 'branches'), chain(depth, 'when')];
        const [first, ...others] = await Promise.all(written.map((graph) => run(graph, answers)));
        for (const other of others) expect([other.settled, other.called]).toEqual([first?.settled, first?.called]);
        const path = first?.called ?? [];
        expect(path).toEqual(expectedPath(depth, answers));
      }),
      { numRuns: 40 },
    );
  });

  it('a condition that is nested too deeply is refused, and does not end the process', () => {
    const deep = (levels: number): object =>
      JSON.parse(`${'{"not":'.repeat(levels)}{"operator":"exists"}${'}'.repeat(levels)}`) as object;
    const graphWith = (levels: number): object => ({
      ...source,
      nodes: [{ ...deep(levels), kind: 'typed_condition', id: 'c' }],
      edges: [],
    });
    expect(readGraph(graphWith(100)).problems()).toEqual([]);
    expect(() => readGraph(graphWith(100_000))).toThrow('this is not plain JSON, or is nested too deeply');
  });

  it('is in the schema that editors use, with conditions inside conditions', () => {
    const schema = JSON.stringify(jsonSchemaOf(graphSchemaWith([])));
    for (const word of ['typed_condition', 'option', 'branches', 'starts_with']) expect(schema).toContain(word);
    expect(schema).toContain('$ref');
  });
});

const chains = fc.integer({ min: 1, max: 6 });

/** Conditions one behind the other: each goes on with the next one if its answer is true, else to a node of its own. */
function chain(depth: number, form: 'edges' | 'branches' | 'when'): object {
  const nodes: object[] = [];
  const edges: object[] = [];
  for (let at = 0; at < depth; at += 1) {
    const to = { true: at + 1 < depth ? `c${at + 1}` : 'end', false: `no${at}` };
    const branches = form === 'branches' ? { branches: to } : {};
    nodes.push(
      { kind: 'typed_condition', id: `c${at}`, left: `{{input.${at}}}`, operator: 'eq', right: true, ...branches },
      tool(`no${at}`, { input: null }),
    );
    if (form !== 'branches')
      for (const [option, target] of Object.entries(to))
        edges.push({
          from: `c${at}`,
          to: target,
          ...(form === 'edges' ? { option } : { when: { field: 'branch', equals: option } }),
        });
  }
  return { id: 'g', mode: 'flex', nodes: [...nodes, tool('end', { input: null })], edges };
}

function expectedPath(depth: number, answers: readonly boolean[]): string[] {
  const stop = answers.slice(0, depth).indexOf(false);
  return [stop === -1 ? 'end' : `no${stop}`];
}
