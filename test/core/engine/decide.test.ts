import { describe, expect, it } from 'vitest';
import { decide, type ToolLookup } from '../../../src/core/engine/decide.ts';
import type { SideEffectClass } from '../../../src/core/schema/effect.ts';
import { graphOf, ok, toolNamed } from '../../support/engine-fakes.ts';
import { endedEvent, openedEvent, resumed, startedEvent, stateAfter } from '../../support/engine-state.ts';

const book = (effect: SideEffectClass = 'read', idempotent = false): ToolLookup => {
  const known = toolNamed('look', () => ok(), { class: effect, annotations: { idempotent } });
  return (name) => (name === 'nobody' ? undefined : known);
};
const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });
const kinds = (run: ReturnType<typeof stateAfter>): string[] =>
  decide(run, book()).map((step) => ('node' in step ? `${step.kind} ${step.node}` : step.kind));

describe('decide', () => {
  it('is pure: the same state gives the same steps and stays as it is', () => {
    const run = stateAfter(graphOf([tool('a'), tool('b', { needs: ['a'] })]));
    const before = structuredClone({ ready: run.ready, nodes: run.nodes });
    expect(decide(run, book())).toEqual(decide(run, book()));
    expect({ ready: run.ready, nodes: run.nodes }).toEqual(before);
  });

  it('names a call by run, node, visit and attempt, with its input and key filled in', () => {
    const graph = graphOf([tool('a', { input: { q: '{{input.x}}' }, idempotency_key: 'k-{{input.x}}' })]);
    expect(decide(stateAfter(graph, [], { input: { x: 7 } }), book('write_local'))).toEqual([
      {
        kind: 'CallTool',
        node: 'a',
        call: 'r.a.0.1',
        attempt: 1,
        tool: 'look',
        class: 'write_local',
        once: true,
        input: { q: 7 },
        key: 'k-7',
        approval: null,
        ask: false,
      },
    ]);
    const long = graphOf([tool('a', { idempotency_key: '{{input}}' })]);
    expect(decide(stateAfter(long, [], { input: 'k'.repeat(501) }), book())).toMatchObject([
      { key: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
  });

  it('a tool that nobody knows is of the class that is never run', () => {
    expect(decide(stateAfter(graphOf([tool('a', { tool: 'nobody' })])), book())).toMatchObject([{ class: 'deny' }]);
  });

  it('a graph node calls run.start, a wait opens a wait, an agent thinks', () => {
    const nodes = [
      { kind: 'graph', id: 'g', graph: 'other', input: 1 },
      { kind: 'wait', id: 'w', for: { kind: 'question', text: 'x' } },
      { kind: 'agent', id: 'a', goal: 'x' },
    ];
    expect(decide(stateAfter(graphOf(nodes)), book())).toMatchObject([
      { kind: 'CallTool', tool: 'run.start', input: { graph: 'other', input: 1 } },
      { kind: 'Wait', node: 'w', wait: 'r.w.0.w0', for: { kind: 'question' } },
      { kind: 'Think', node: 'a', turn: 0 },
    ]);
  });

  it('the output of a run is that of its one last node, or of all of them by name', () => {
    const last = [startedEvent('a'), endedEvent('a', 'ok', { output: 1 })];
    expect(decide(stateAfter(graphOf([tool('a')]), last), book())).toEqual([{ kind: 'Finish', output: 1 }]);
    const both = stateAfter(graphOf([tool('a'), tool('b')]), [
      ...last,
      startedEvent('b'),
      endedEvent('b', 'ok', { output: 2 }),
    ]);
    expect(decide(both, book())).toEqual([{ kind: 'Finish', output: { a: 1, b: 2 } }]);
  });

  it('D2 those at work go first, and new ones only where there is room', () => {
    const nodes = [tool('a'), tool('b'), tool('c'), tool('d')];
    const waiting = endedEvent('b', 'waiting', { for: { kind: 'question', text: 'x' } });
    expect(kinds(stateAfter(graphOf(nodes, { parallel: 2 })))).toEqual(['CallTool a', 'CallTool b']);
    const busy = [startedEvent('a'), startedEvent('b'), waiting];
    expect(kinds(stateAfter(graphOf(nodes, { parallel: 2 }), busy))).toEqual(['Wait b']);
    expect(kinds(stateAfter(graphOf(nodes, { parallel: 3 }), busy))).toEqual(['Wait b', 'CallTool c']);
  });

  it.each([
    ['read', false, 'CallTool'],
    ['write_local', true, 'CallTool'],
    ['write_local', false, 'Wait'],
    ['external_mutation', true, 'Wait'],
    ['external_mutation', false, 'Wait'],
  ] as const)('D3 in doubt, %s with idempotent %s: %s', (effect, idempotent, kind) => {
    const run = stateAfter(graphOf([tool('a')]), [startedEvent('a', { class: effect }), resumed]);
    expect(decide(run, book(effect, idempotent))).toMatchObject([{ kind }]);
  });

  it('D5 after a failure nothing new starts, and the run fails when no call is open any more', () => {
    const graph = graphOf([tool('a'), tool('b'), tool('c')], { parallel: 2 });
    const failing = [startedEvent('a'), startedEvent('b'), endedEvent('a', 'failed', { error: 'no' })];
    expect(decide(stateAfter(graph, failing), book())).toEqual([]);
    expect(decide(stateAfter(graph, [...failing, endedEvent('b', 'ok')]), book())).toEqual([
      { kind: 'Fail', reason: 'a: no' },
    ]);
  });

  it('a run that rests decides nothing', () => {
    const question = { kind: 'question', text: 'x' };
    const graph = graphOf([{ kind: 'wait', id: 'w', for: question }]);
    expect(decide(stateAfter(graph, [openedEvent('w', question)]), book())).toEqual([]);
    expect(decide(stateAfter(graph, [{ type: 'run.paused', data: { reason: 'x' } }]), book())).toEqual([]);
    expect(
      decide(stateAfter(graph, [{ type: 'run.ended', data: { status: 'cancelled', reason: 'x' } }]), book()),
    ).toEqual([]);
  });
});
