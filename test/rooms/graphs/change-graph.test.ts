import { array, assert, constant, constantFrom, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as change from '../../../src/rooms/graphs/graph-page/browser/change-graph.ts';

const graph = (): change.Fields => ({
  id: 'g',
  title: 'It says {{first.output}}',
  pins: { first: { rows: [1] } },
  nodes: [
    { kind: 'tool', id: 'first', tool: 'shell', input: { line: 'ls' } },
    {
      kind: 'tool',
      id: 'second',
      tool: 'shell',
      input: { line: 'echo {{first.output}} {{ first }} {{firstly.x}}' },
      needs: ['first'],
    },
    {
      kind: 'ask',
      id: 'third',
      question: 'first?',
      needs: ['second'],
      branches: { yes: ['first', 'second'], no: 'first' },
    },
  ],
  edges: [{ from: 'third', to: 'first', max: 2 }],
});
const needsOf = (of: change.Fields, id: string): unknown => change.nodeOf(of, id)?.['needs'];

describe('a graph that is changed on its picture', () => {
  it('a new step has a name of its own and comes behind the chosen one', () => {
    const { graph: added, id } = change.addNode(graph(), { kind: 'transform', value: 1 }, 'second');
    expect(change.nodeOf(added, id)).toEqual({ kind: 'transform', value: 1, id, needs: ['second'] });
    const again = change.addNode(change.renameNode(added, 'first', `step_5`), { kind: 'transform' }, null);
    expect(again.id).toBe('step_6');
    expect(needsOf(again.graph, again.id)).toBeUndefined();
  });

  it('a new name is meant wherever the step is named, and nowhere else', () => {
    const renamed = change.renameNode(graph(), 'first', 'one');
    expect(change.nodesOf(renamed).map((node) => node['id'])).toEqual(['one', 'second', 'third']);
    expect(change.nodeOf(renamed, 'second')).toMatchObject({
      input: { line: 'echo {{one.output}} {{ one }} {{firstly.x}}' },
      needs: ['one'],
    });
    expect(change.nodeOf(renamed, 'third')).toMatchObject({
      question: 'first?',
      branches: { yes: ['one', 'second'], no: 'one' },
    });
    expect(renamed).toMatchObject({ pins: { one: { rows: [1] } }, edges: [{ from: 'third', to: 'one', max: 2 }] });
    expect(change.renameNode(graph(), 'first', 'second')).toEqual(graph());
  });

  it('an arrow leads forward by a need, back by an edge with a limit, and is there once', () => {
    const joined = change.connect(graph(), 'first', 'third');
    expect(needsOf(joined, 'third')).toEqual(['second', 'first']);
    expect(change.connect(joined, 'first', 'third')).toEqual(joined);
    expect(change.connect(graph(), 'second', 'second')).toEqual(graph());
    expect(change.connect(graph(), 'third', 'second')['edges']).toContainEqual({ from: 'third', to: 'second', max: 3 });
    const apart = change.disconnect(change.disconnect(graph(), 'third', 'first'), 'first', 'second');
    expect([apart['edges'], needsOf(apart, 'second')]).toEqual([undefined, undefined]);
    expect(change.nodeOf(apart, 'third')?.['branches']).toEqual({ yes: ['second'] });
  });

  it('what came behind a step that is removed comes behind what was before it', () => {
    const left = change.removeNode(graph(), 'second');
    expect(needsOf(left, 'third')).toEqual(['first']);
    expect(JSON.stringify(change.removeNode(left, 'first'))).not.toContain('"first"');
  });

  it('whatever is done, no name leads nowhere, and no step needs itself', () => {
    const names = constantFrom('first', 'second', 'third', 'step_4', 'other');
    const acts = oneof(
      record({ act: constant('add' as const), a: names, b: names }),
      record({
        act: constantFrom('connect' as const, 'disconnect' as const, 'remove' as const, 'rename' as const),
        a: names,
        b: names,
      }),
    );
    assert(
      property(array(acts, { maxLength: 12 }), (done) => {
        let now = graph();
        for (const { act, a, b } of done) {
          if (change.nodeOf(now, a) === undefined) continue;
          if (act === 'add') now = change.addNode(now, { kind: 'transform' }, a).graph;
          else if (act === 'remove') now = change.removeNode(now, a);
          else if (act === 'rename') now = change.renameNode(now, a, b);
          else if (change.nodeOf(now, b) !== undefined)
            now = act === 'connect' ? change.connect(now, a, b) : change.disconnect(now, a, b);
        }
        const ids = change.nodesOf(now).map((node) => node['id']);
        expect(new Set(ids).size).toBe(ids.length);
        for (const node of change.nodesOf(now)) {
          const needs = (node['needs'] ?? []) as string[];
          expect(needs).not.toContain(node['id']);
          expect(needs.filter((each) => !ids.includes(each))).toEqual([]);
        }
        for (const { from, to } of (now['edges'] ?? []) as { from: string; to: string }[])
          expect([ids.includes(from), ids.includes(to)]).toEqual([true, true]);
      }),
    );
  });
});
