import { describe, expect, it } from 'vitest';
import { checkGraph } from '../../../src/core/engine/check-graph.ts';
import { cutGraph } from '../../../src/core/engine/cut-graph.ts';
import { graphOf } from '../../support/engine-fakes.ts';

const tool = (id: string, needs: string[] = []): object => ({ kind: 'tool', id, tool: 'save', needs });
const graph = graphOf([tool('a'), tool('b', ['a']), tool('c'), tool('d', ['b']), tool('e', ['d'])], {
  edges: [
    { from: 'c', to: 'd', when: { field: 'ok', equals: true } },
    { from: 'd', to: 'b', when: { field: 'again', equals: true }, max: 2 },
    { from: 'e', to: 'a', when: { field: 'again', equals: true }, max: 2 },
  ],
});
const ids = ({ nodes }: typeof graph): string[] => nodes.map(({ id }) => id);

describe('the part of a graph that is needed for a node', () => {
  it('is the node and all that leads to it, with the edges among these', () => {
    const cut = cutGraph(graph, 'd');
    expect(ids(cut)).toEqual(['a', 'b', 'c', 'd']);
    expect(cut.edges.map(({ from, to }) => from + to)).toEqual(['cd', 'db']);
    expect(checkGraph(cut)).toEqual([]);
    expect(ids(cutGraph(graph, 'a'))).toEqual(['a']);
  });

  it('needs nothing of what leads to a pinned node', () => {
    const cut = cutGraph({ ...graph, pins: { b: 1, e: 2 } }, 'd');
    expect(ids(cut)).toEqual(['b', 'c', 'd']);
    expect(cut.pins).toEqual({ b: 1 });
    expect(checkGraph(cut)).toEqual([]);
  });

  it('leaves out where a failure would lead', () => {
    const failing = graphOf([{ ...tool('a'), on_error: 'branch:x' }, tool('b', ['a']), tool('x')], {
      edges: [{ from: 'a', to: 'x', failed: true }],
    });
    expect(checkGraph(failing)).toEqual([]);
    const cut = cutGraph(failing, 'b');
    expect([ids(cut), checkGraph(cut)]).toEqual([['a', 'b'], []]);
    expect(ids(cutGraph(failing, 'x'))).toEqual(['a', 'x']);
  });

  it('is nothing for a node that is not there', () => {
    expect(() => cutGraph(graph, 'x')).toThrow('has no node "x"');
  });
});
