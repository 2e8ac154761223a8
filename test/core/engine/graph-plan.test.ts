import { describe, expect, it } from 'vitest';
import { downstreamOf, topologicalOrder, leadsBack, planOf, nodeTitle } from '../../../src/core/engine/graph-plan.ts';
import { defaultStates } from '../../../src/core/engine/agent-states.ts';
import { graphOf } from '../../support/engine-fakes.ts';

const graph = graphOf(
  [
    { kind: 'tool', id: 'd', tool: 't', needs: ['b', 'c', 'b'], title: 'The last one' },
    { kind: 'tool', id: 'a', tool: 't' },
    { kind: 'tool', id: 'b', tool: 't', needs: ['a'] },
    { kind: 'tool', id: 'c', tool: 't' },
  ],
  {
    edges: [
      { from: 'a', to: 'c', when: { field: 'x', equals: 1 } },
      { from: 'd', to: 'b', when: { field: 'x', equals: 1 }, max: 2 },
    ],
  },
);
const plan = planOf(graph, 'sum', defaultStates);

describe('planOf', () => {
  it('knows for each node what comes before and behind it; a way back counts for neither', () => {
    expect(plan.before).toEqual([[2, 3], [], [1], [1]]);
    expect(plan.behind).toEqual([[], [2, 3], [0], [0]]);
    expect(plan.forwardTo).toEqual([[], [], [], [0]]);
    expect(plan.backFrom).toEqual([[1], [], [], []]);
    expect(plan.index.get('c')).toBe(3);
  });

  it('an edge leads back when it has a limit', () => {
    expect(graph.edges.map(leadsBack)).toEqual([false, true]);
  });
});

describe('inOrder', () => {
  it('puts every node behind those it needs', () => {
    expect(topologicalOrder(plan)).toEqual([1, 2, 3, 0]);
  });
});

describe('downstreamOf', () => {
  it('holds a node and everything behind it, once', () => {
    expect([...downstreamOf(plan, 1)].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3]);
    expect([...downstreamOf(plan, 2)].toSorted((a, b) => a - b)).toEqual([0, 2]);
    expect([...downstreamOf(plan, 0)]).toEqual([0]);
  });
});

describe('titleOf', () => {
  it('is the title, or the name where there is none', () => {
    expect(graph.nodes.map(nodeTitle)).toEqual(['The last one', 'a', 'b', 'c']);
  });
});
