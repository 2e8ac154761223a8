import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { simulate } from '../../../src/core/engine/simulate-graph.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { fakeTime, graphOf, ok, toolNamed } from '../../support/engine-fakes.ts';

const byNode = (a: { node: string | null }, b: { node: string | null }): number =>
  `${a.node}`.localeCompare(`${b.node}`);
const tool = (id: string, name: string, rest: object = {}): object => ({ kind: 'tool', id, tool: name, ...rest });

describe('simulate', () => {
  it('takes every way forward once, says what each call would meet, and does nothing', async () => {
    const done: string[] = [];
    const act = (name: string) => () => (done.push(name), ok());
    const tools = [
      toolNamed('look', act('look'), { input: z.strictObject({ path: z.string() }) }),
      toolNamed('write', act('write'), { class: 'write_local' }),
      toolNamed('never', act('never'), { class: 'deny' }),
    ];
    const nodes = [
      tool('a', 'look', { input: { path: 'x' } }),
      tool('b', 'look', { input: { path: '{{a.path}}' } }),
      tool('c', 'write', { input: 1 }),
      tool('d', 'never', { needs: ['c'] }),
      { kind: 'agent', id: 'e', goal: 'x' },
      { kind: 'wait', id: 'w', for: { kind: 'question', text: 'Well?' } },
    ];
    const edges = [
      { from: 'a', to: 'b', when: { field: 'x', equals: 1 } },
      { from: 'a', to: 'c', when: { field: 'x', equals: 2 } },
      { from: 'b', to: 'a', when: { field: 'x', equals: 3 }, max: 5 },
    ];
    const { clock, sleep } = fakeTime();
    const middleware = standardChain({ tools, clock, sleep });
    const told = await simulate({ tools, clock, sleep, middleware }, graphOf(nodes, { edges }), null);
    expect(told.calls.toSorted(byNode).map(({ node, verdict }) => [node, verdict])).toEqual([
      ['a', 'allow'],
      ['b', 'unclear'],
      ['c', 'ask'],
      ['d', 'deny'],
    ]);
    expect(told.asks).toEqual([{ node: 'w', text: 'Well?' }]);
    expect(told.calls.find(({ node }) => node === 'c')?.why).toContain('it changes files');
    expect(done).toEqual([]);
  });
});
