import { describe, expect, it } from 'vitest';
import { checkGraph } from '../../../src/core/engine/check-graph.ts';
import type { Surroundings } from '../../../src/core/engine/node-problems.ts';
import { graphOf } from '../../support/engine-fakes.ts';

const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });
const flag = { field: 'flag', equals: true };

function problemsOf(nodes: object[], rest: Record<string, unknown> = {}, around: Surroundings = {}): string[] {
  return checkGraph(graphOf(nodes, rest), around).map(({ path, problem }) => `${path}: ${problem}`);
}

describe('checkGraph', () => {
  it('finds nothing wrong with a graph that uses everything there is', () => {
    const nodes = [
      tool('a', { input: '{{input.x}} {{last}}' }),
      { kind: 'agent', id: 'b', needs: ['a'], goal: 'Look at {{a.list}}.', tools: ['look'] },
      { kind: 'map', id: 'c', needs: ['b'], over: '{{b}}', each: tool('x', { input: ['{{item}}', '{{a}}'] }) },
      { kind: 'graph', id: 'd', needs: ['c'], graph: 'other' },
      { kind: 'wait', id: 'e', for: { kind: 'question', text: 'Well?' } },
    ];
    const edges = [
      { from: 'd', to: 'e', when: flag },
      { from: 'e', to: 'b', when: flag, max: 3 },
      { from: 'a', to: 'a', when: flag, max: 1 },
    ];
    expect(problemsOf(nodes, { edges }, { tools: new Set(['look']), graphs: new Set(['other']) })).toEqual([]);
  });

  it('says what to do about a template: the node is there and must come before, or there is none', () => {
    const [later, nobody] = checkGraph(graphOf([tool('a', { input: '{{b.x}} {{nobody}}' }), tool('b')]));
    expect([later?.fix, nobody?.fix]).toEqual(['Add "b" to its needs.', 'There is no node "nobody".']);
  });

  it.each<[string, object[], Record<string, unknown>, string]>([
    ['two nodes of one name', [tool('a'), tool('a')], {}, 'nodes.1.id: there are two nodes named "a"'],
    [
      'a name with a meaning of its own',
      [tool('last')],
      {},
      'nodes.0.id: "last" has a meaning of its own in templates; choose another name',
    ],
    [
      'the name of an item of a map',
      [{ kind: 'map', id: 'm', over: '{{input}}', each: tool('x') }, tool('m__0')],
      {},
      'nodes.1.id: "m__0" is the name of an item of the map "m"',
    ],
    [
      'a map whose items would have too long a name',
      [{ kind: 'map', id: 'm'.repeat(71), over: '{{input}}', each: tool('x') }],
      {},
      'nodes.0.id: the name of a map has at most 70 characters',
    ],
    ['a need that is not there', [tool('a', { needs: ['b'] })], {}, 'nodes.0.needs.0: there is no node "b"'],
    ['an edge from nowhere', [tool('a')], { edges: [{ from: 'x', to: 'a' }] }, 'edges.0.from: there is no node "x"'],
    ['an edge to nowhere', [tool('a')], { edges: [{ from: 'a', to: 'x' }] }, 'edges.0.to: there is no node "x"'],
    [
      'a circle',
      [tool('a', { needs: ['b'] }), tool('b'), tool('c', { needs: ['a'] })],
      { edges: [{ from: 'c', to: 'b' }] },
      'nodes: these nodes wait for each other: a, b, c. An edge back needs "max"',
    ],
    [
      'a template that asks for what is not there yet',
      [tool('a', { input: '{{b.x}}' }), tool('b')],
      {},
      'nodes.0: {{b}} asks for something that is not there when "a" starts',
    ],
    [
      'an item outside of a map',
      [tool('a', { input: '{{item}}' })],
      {},
      'nodes.0: {{item}} asks for something that is not there when "a" starts',
    ],
    [
      'a template in the key of an item',
      [{ kind: 'map', id: 'm', over: '{{input}}', each: tool('x', { idempotency_key: '{{nobody}}' }) }],
      {},
      'nodes.0: {{nobody}} asks for something that is not there when "m" starts',
    ],
    [
      'an edge back to a node that does not come before',
      [tool('a'), tool('b')],
      { edges: [{ from: 'a', to: 'b', when: flag, max: 1 }] },
      'edges.0: "max" marks an edge back, but "b" does not come before "a"',
    ],
    [
      'an edge back without a condition',
      [tool('a')],
      { edges: [{ from: 'a', to: 'a', max: 1 }] },
      'edges.0.when: an edge back needs a condition, otherwise it is always taken',
    ],
    [
      'branches that exclude each other',
      [tool('a'), tool('b'), tool('c'), tool('d', { needs: ['b', 'c'] })],
      {
        edges: [
          { from: 'a', to: 'b', when: { field: 'ok', equals: true } },
          { from: 'a', to: 'c', when: { field: 'ok', equals: false } },
        ],
      },
      'nodes.3: "d" is never reached: it needs branches of a.ok that exclude each other',
    ],
    [
      'a tool outside of what the node may call',
      [tool('a', { tools: ['peek'] })],
      {},
      'nodes.0.tool: "look" is not among the tools this node may call',
    ],
    [
      'a fallback that is not given',
      [tool('a', { on_error: 'fallback' })],
      {},
      'nodes.0.fallback: on_error is fallback, but there is no fallback',
    ],
    [
      'a fallback that an item does not have',
      [{ kind: 'map', id: 'm', over: '{{input}}', each: tool('x', { on_error: 'fallback' }) }],
      {},
      'nodes.0.each.fallback: on_error is fallback, but there is no fallback',
    ],
  ])('points at %s', (_, nodes, rest, problem) => {
    expect(problemsOf(nodes, rest)).toEqual([problem]);
  });

  it('knows which tools and graphs there are, if it is told', () => {
    const nodes = [
      tool('a'),
      { kind: 'agent', id: 'b', goal: 'x', tools: ['peek'] },
      { kind: 'graph', id: 'c', graph: 'other' },
      { kind: 'map', id: 'd', over: '{{input}}', each: tool('x') },
    ];
    expect(problemsOf(nodes)).toEqual([]);
    expect(problemsOf(nodes, {}, { tools: new Set(), graphs: new Set() })).toEqual([
      'nodes.0: there is no tool "look"',
      'nodes.1: there is no tool "peek"',
      'nodes.2.graph: there is no graph "other"',
      'nodes.3.each: there is no tool "look"',
    ]);
  });

  it('strict asks for every bound, bounded for time and retries, flex for none; items of maps are steps, too', () => {
    const nodes = [tool('a'), { kind: 'map', id: 'm', over: '{{input}}', each: tool('x') }];
    expect(problemsOf(nodes, { mode: 'flex' })).toEqual([]);
    expect(problemsOf(nodes, { mode: 'bounded' })).toEqual([
      'nodes.0.timeout_seconds: mode bounded needs timeout_seconds',
      'nodes.0.max_retries: mode bounded needs max_retries',
      'nodes.1.each.timeout_seconds: mode bounded needs timeout_seconds',
      'nodes.1.each.max_retries: mode bounded needs max_retries',
    ]);
    const bounded = { timeout_seconds: 1, max_retries: 0 };
    expect(problemsOf([tool('a', bounded)], { mode: 'bounded' })).toEqual([]);
    expect(problemsOf([tool('a', bounded)], { mode: 'strict' })).toEqual([
      'nodes.0.idempotency_key: mode strict needs idempotency_key',
    ]);
  });

  it('tells all problems at once, each with its place', () => {
    const nodes = [
      tool('a', { needs: ['nobody'] }),
      tool('a', { tools: ['peek'] }),
      tool('item', { on_error: 'fallback' }),
    ];
    const edges = [{ from: 'x', to: 'y', when: flag, max: 1 }];
    expect(problemsOf(nodes, { edges }, { tools: new Set(['peek']) })).toEqual([
      'nodes.1.id: there are two nodes named "a"',
      'nodes.2.id: "item" has a meaning of its own in templates; choose another name',
      'nodes.0.needs.0: there is no node "nobody"',
      'edges.0.from: there is no node "x"',
      'edges.0.to: there is no node "y"',
      'nodes.0: there is no tool "look"',
      'nodes.1.tool: "look" is not among the tools this node may call',
      'nodes.1: there is no tool "look"',
      'nodes.2: there is no tool "look"',
      'nodes.2.fallback: on_error is fallback, but there is no fallback',
    ]);
  });

  it('names those that wait for each other, and not the ten thousand behind them', () => {
    const chain = Array.from({ length: 10_000 }, (_, at) => tool(`n${at}`, { needs: [at === 0 ? 'z' : `n${at - 1}`] }));
    const [problem, ...others] = problemsOf([tool('z', { needs: ['z'] }), ...chain]);
    expect(others).toEqual([]);
    expect(problem?.length).toBeLessThan(200);
  });

  it('names the place of an acceptance that cannot be checked, also in the items of a map', () => {
    const nodes = [
      tool('a', { acceptance: ['file: a.txt', 'exists: a.txt'] }),
      { kind: 'map', id: 'c', over: '{{a}}', needs: ['a'], each: tool('x', { acceptance: ['hm: x'] }) },
    ];
    const acceptance = (text: string): string | null => (text.startsWith('file:') ? null : `not a check: ${text}`);
    expect(problemsOf(nodes, { mode: 'flex' }, { acceptance })).toEqual([
      'nodes.0.acceptance.1: not a check: exists: a.txt',
      'nodes.1.each.acceptance.0: not a check: hm: x',
    ]);
    expect(problemsOf(nodes, { mode: 'flex' })).toEqual([]);
  });
});
