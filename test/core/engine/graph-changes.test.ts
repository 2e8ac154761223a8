import { describe, expect, it } from 'vitest';
import { graphChanges } from '../../../src/core/engine/graph-changes.ts';
import { graphVersion } from '../../../src/core/engine/graph-versions.ts';
import { setField } from '../../../src/core/engine/patch-graph.ts';

const graph = {
  id: 'g',
  nodes: [
    { kind: 'tool', id: 'a', tool: 'files.list', input: {} },
    { kind: 'tool', id: 'b', tool: 'files.list', input: { path: 'x' } },
  ],
  edges: [{ from: 'a', to: 'b' }],
};

describe('the version of a graph', () => {
  it('is the same for the same content, whatever the order of fields, and another one for another content', () => {
    const same = { edges: [{ to: 'b', from: 'a' }], nodes: graph.nodes, id: 'g', $schema: 'graph.schema.json' };
    expect(graphVersion(same)).toBe(graphVersion(graph));
    expect(graphVersion({ ...graph, nodes: graph.nodes.toReversed() })).not.toBe(graphVersion(graph));
    expect(graphVersion({ ...graph, id: 'h' })).not.toBe(graphVersion(graph));
  });
});

describe('graphChanges', () => {
  it('names nodes and edges by what they are, not by their position', () => {
    const [a, b] = graph.nodes;
    const other = {
      id: 'g',
      nodes: [{ kind: 'wait', id: 'c' }, { ...b, input: { path: 'y' } }, a ?? {}],
      edges: [{ from: 'a', to: 'b', max: 2 }],
    };
    expect(graphChanges(graph, other)).toEqual([
      { path: 'nodes.b.input.path', before: 'x', after: 'y' },
      { path: 'nodes.c', after: { kind: 'wait', id: 'c' } },
      { path: 'edges.a → b.max', after: 2 },
    ]);
    expect(graphChanges(graph, structuredClone(graph))).toEqual([]);
  });

  it('tells two edges between the same nodes apart', () => {
    const edges = [
      { from: 'a', to: 'b', when: { field: 'x', equals: 1 } },
      { from: 'a', to: 'b', when: { field: 'x', equals: 2 } },
    ];
    expect(graphChanges({ ...graph, edges }, { ...graph, edges: edges.slice(0, 1) })).toEqual([
      { path: 'edges.a → b#2', before: edges[1] },
    ]);
  });
});

describe('setField', () => {
  it('sets, makes and removes fields in a copy', () => {
    const patched = setField(graph, 'b', 'input.path', 'y');
    expect(patched['nodes']).toMatchObject([{ input: {} }, { input: { path: 'y' } }]);
    expect(setField(graph, 'a', 'retry.times', 2)['nodes']).toMatchObject([{ retry: { times: 2 } }, {}]);
    expect(graphChanges(graph, setField(graph, 'b', 'input', undefined))).toEqual([
      { path: 'nodes.b.input', before: { path: 'x' } },
    ]);
    expect(graph.nodes[1]?.input).toEqual({ path: 'x' });
  });

  it('refuses a node that is not there, and a field in something without fields', () => {
    expect(() => setField(graph, 'bb', 'input', 1)).toThrow(/no node "bb"/);
    expect(() => setField(graph, 'b', 'tool.name', 1)).toThrow(/"tool" has no fields/);
    expect(() => setField(graph, 'b', '__proto__.x', 1)).toThrow();
  });
});
