import { describe, expect, it } from 'vitest';
import { inputOf } from '../../../src/core/engine/node-input.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { graphOf } from '../../support/engine-fakes.ts';
import { endedEvent, startedEvent, stateAfter } from '../../support/engine-state.ts';

const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });
const done = (id: string, output: Json) => [startedEvent(id), endedEvent(id, 'ok', { output })];

describe('inputOf', () => {
  it('without a template a node gets the output of the last node it needs, or the input of the run', () => {
    const run = stateAfter(
      graphOf([tool('a'), tool('b'), tool('c', { needs: ['a', 'b'] })]),
      [...done('a', 1), ...done('b', 2)],
      { input: 'in' },
    );
    expect([0, 1, 2].map((index) => inputOf(run, index))).toEqual(['in', 'in', 2]);
  });

  it('behind edges alone it is the output of the first source that is done', () => {
    const edges = ['a', 'b'].map((from) => ({ from, to: 'c' }));
    const run = stateAfter(graphOf([tool('a'), tool('b'), tool('c')], { edges }), done('b', 2));
    expect(inputOf(run, 2)).toBe(2);
  });

  it('behind a condition it is the output of the branch that was taken, whatever stands first in the file', () => {
    const edges = [
      { from: 'check', to: 'end', when: { field: 'branch', equals: 'false' } },
      { from: 'check', to: 'more', when: { field: 'branch', equals: 'true' } },
      { from: 'more', to: 'end' },
    ];
    const graph = graphOf([tool('check'), tool('more'), tool('end')], { edges });
    const taken = stateAfter(graph, [...done('check', { branch: 'true' }), ...done('more', 'from more')]);
    expect(inputOf(taken, 2)).toBe('from more');
    expect(inputOf(stateAfter(graph, done('check', { branch: 'false' })), 2)).toEqual({ branch: 'false' });
  });

  it('templates see the input, the nodes before, and for an item of a map the item and what the map comes behind', () => {
    const each = tool('x', { input: ['{{item.n}}', '{{a}}', '{{last}}', '{{input}}'] });
    const graph = graphOf([tool('a'), { kind: 'map', id: 'm', needs: ['a'], over: '{{a}}', each }]);
    const run = stateAfter(graph, done('a', [{ n: 5 }]), { input: 'in' });
    expect(inputOf(run, 2)).toEqual([5, [{ n: 5 }], [{ n: 5 }], 'in']);
    expect(inputOf(stateAfter(graphOf([tool('a', { input: '{{item}}' })])), 0)).toBeNull();
  });

  it('an item without a template is its own input', () => {
    const graph = graphOf([{ kind: 'map', id: 'm', over: '{{input}}', each: tool('x') }]);
    expect(inputOf(stateAfter(graph, [], { input: [{ n: 5 }] }), 1)).toEqual({ n: 5 });
  });
});
