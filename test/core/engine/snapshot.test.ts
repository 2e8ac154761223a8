import { describe, expect, it } from 'vitest';
import type { RunState } from '../../../src/core/engine/run-state.ts';
import { toSnapshot, fromSnapshot } from '../../../src/core/engine/snapshot.ts';
import { graphOf } from '../../support/engine-fakes.ts';
import { endedEvent, planFor, resumed, startedEvent, stateAfter } from '../../support/engine-state.ts';

const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });
const graph = graphOf([
  tool('a'),
  { kind: 'map', id: 'm', needs: ['a'], over: '{{a}}', each: tool('x') },
  { kind: 'agent', id: 'b', goal: 'x' },
  tool('c', { needs: ['m', 'b'] }),
]);
const rejected = { type: 'decision.rejected', data: { node: 'b', turn: 0, reason: 'no' } } as const;
const done = [startedEvent('a'), endedEvent('a', 'ok', { output: [1, 2] })];

const roundTrip = (run: RunState): RunState | null =>
  fromSnapshot(JSON.parse(JSON.stringify(toSnapshot(run))), planFor(graph));

describe('a snapshot', () => {
  it.each([
    ['at the beginning', []],
    ['when an agent was told that its answer is not allowed', [rejected]],
    ['with the items of a map', [...done, startedEvent('m__0')]],
    ['with a call in doubt', [...done, startedEvent('m__0', { class: 'write_local' }), resumed]],
    ['at the end', [...done, { type: 'run.ended', data: { status: 'cancelled', reason: 'x' } } as const]],
  ])('gives back the state it was made from, %s', (_, events) => {
    const run = stateAfter(graph, events, { input: { x: 1 }, budgets: { tokens: 5 } });
    const thawn = roundTrip(run);
    expect(thawn).toEqual(run);
    expect([...(thawn?.ready ?? [])]).toEqual([...run.ready]);
  });

  it('of another graph, or one that was changed, is no snapshot', () => {
    const snapshot = toSnapshot(stateAfter(graph)) as { text: string };
    expect(fromSnapshot({ ...snapshot, text: snapshot.text.replace('running', 'blocked') }, planFor(graph))).toBeNull();
    expect(fromSnapshot(snapshot, { ...planFor(graph), sha256: 'f'.repeat(64) })).toBeNull();
    for (const nothing of [null, 5, {}, []]) expect(fromSnapshot(nothing, planFor(graph))).toBeNull();
  });
});
