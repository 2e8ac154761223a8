import { describe, expect, it } from 'vitest';
import { foldRun } from '../../../src/core/engine/fold-run.ts';
import { isReached } from '../../../src/core/engine/routing.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import { graphOf } from '../../support/engine-fakes.ts';
import {
  closedEvent,
  endedEvent,
  eventsOf,
  openedEvent,
  planFor,
  resumed,
  startedEvent,
  stateAfter,
} from '../../support/engine-state.ts';

const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });
const one = graphOf([tool('a')]);
const two = graphOf([tool('a'), tool('b', { needs: ['a'] })]);
const binding = 'b'.repeat(64);
const approval = { kind: 'approval', binding, text: 'May I?' };

describe('foldRun', () => {
  it('a run begins with run.started and nothing else', () => {
    const events = eventsOf(one, [startedEvent('a')]);
    expect(foldRun(planFor(one), events.slice(1))).toBeNull();
    expect(foldRun(planFor(one), events)).toMatchObject({ id: 'r', ledger: { first: 1, last: 2 } });
  });

  it('what needs nothing is ready at once, what needs something when that is settled', () => {
    expect([...stateAfter(two).ready]).toEqual([0]);
    const run = stateAfter(two, [startedEvent('a'), endedEvent('a', 'ok', { output: 5 })]);
    expect([...run.ready]).toEqual([1]);
    expect(run.nodes[0]).toMatchObject({ status: 'done', output: 5 });
  });

  it('E3 an outcome of a call that is not open changes only what was spent', () => {
    const before = stateAfter(one, [startedEvent('a')]);
    const late = endedEvent('a', 'ok', {
      call: 'r.a.0.7',
      output: 1,
      usage: { tokens_in: 3, usd: 0.5, output_bytes: 9 },
    });
    const run = stateAfter(one, [startedEvent('a'), late]);
    expect(run.nodes).toEqual(before.nodes);
    expect(run.spent).toMatchObject({ tokens: 3, usd: 0.5, output_bytes: 9, tool_calls: 1 });
  });

  it('a retry counts as a call and as a retry, and stays the same call', () => {
    const run = stateAfter(one, [
      startedEvent('a'),
      endedEvent('a', 'failed', { retried: true, error: 'no' }),
      startedEvent('a', { call: 'r.a.0.2', attempt: 2 }),
    ]);
    expect(run.spent).toMatchObject({ tool_calls: 2, retries: 1 });
    expect(run.nodes[0]).toMatchObject({ status: 'running', attempt: 2, again: null });
  });

  it('a retry that a crash has cut off is made after it', () => {
    const run = stateAfter(one, [
      startedEvent('a'),
      endedEvent('a', 'failed', { retried: true, error: 'no' }),
      resumed,
    ]);
    expect(run.nodes[0]).toMatchObject({ doubt: false, again: { call: 'r.a.0.1' } });
    expect([...run.ready]).toEqual([0]);
  });
});

describe('waiting', () => {
  const asked = [
    startedEvent('a', { class: 'write_local' }),
    endedEvent('a', 'waiting', { for: approval }),
    openedEvent('a', approval),
  ];

  it('an approval is good for the next attempt of the same call, and for that only', () => {
    const run = stateAfter(one, [...asked, closedEvent('a', { verdict: 'approved' })]);
    expect(run.nodes[0]).toMatchObject({ approved: binding, again: { call: 'r.a.0.1' } });
    expect(
      stateAfter(one, [
        ...asked,
        closedEvent('a', { verdict: 'approved' }),
        startedEvent('a', { call: 'r.a.0.2', attempt: 2 }),
      ]).nodes[0],
    ).toMatchObject({ approved: null });
  });

  it.each(['denied', 'expired', 'cancelled', 'answered', 'arrived', 'elapsed'])('%s is no approval', (verdict) => {
    const run = stateAfter(one, [...asked, closedEvent('a', { verdict })]);
    expect(run.nodes[0]).toMatchObject({ status: 'failed', approved: null });
    expect(run.failure).toMatchObject({ node: 'a', reason: `approval ${verdict}` });
  });

  it('a run that waits and has nothing else to do is blocked, one that has failed is not', () => {
    const both = graphOf([tool('a'), tool('b')]);
    expect(stateAfter(one, asked)).toMatchObject({ status: 'blocked', activeSince: null });
    expect(stateAfter(both, asked)).toMatchObject({ status: 'running' });
    expect(stateAfter(both, [...asked, startedEvent('b'), endedEvent('b', 'failed', { error: 'no' })])).toMatchObject({
      status: 'running',
      failure: { node: 'b' },
    });
  });

  it('a second answer to the same wait changes nothing', () => {
    const run = stateAfter(one, [
      ...asked,
      closedEvent('a', { verdict: 'approved' }),
      closedEvent('a', { verdict: 'denied' }),
    ]);
    expect(run).toMatchObject({ failure: null, nodes: [{ approved: binding }] });
  });

  it('a call that is asked about is paid for when it is made', () => {
    expect(stateAfter(one, asked).spent.tool_calls).toBe(0);
  });
});

describe('time', () => {
  it('counts from event to event while the run is at work', () => {
    const question = { kind: 'question', text: 'x' };
    const wait = graphOf([{ kind: 'wait', id: 'w', for: question }, tool('a', { needs: ['w'] })]);
    const asked = [openedEvent('w', question)];
    expect(stateAfter(wait, asked)).toMatchObject({ activeMs: 1000, activeSince: null });
    const answered = [...asked, closedEvent('w', { verdict: 'answered' }), resumed, startedEvent('a')];
    expect(stateAfter(wait, answered)).toMatchObject({ activeMs: 1000, activeSince: 3000 });
    expect(stateAfter(wait, [...answered, endedEvent('a', 'ok')])).toMatchObject({ activeMs: 1000 });
    expect(stateAfter(wait, [...answered, { type: 'run.paused', data: { reason: 'x' } }])).toMatchObject({
      activeMs: 3000,
      activeSince: null,
      status: 'paused',
    });
  });

  it('after a crash it is known up to the last event', () => {
    const run = stateAfter(one, [startedEvent('a'), startedEvent('a', { call: 'r.a.0.2', attempt: 2 }), resumed]);
    expect(run).toMatchObject({ activeMs: 2000, activeSince: 3000 });
  });
});

describe('events of other types', () => {
  it('change nothing but what was read last, and need not be known to the engine', () => {
    const events = eventsOf(one, [startedEvent('a')]);
    const unknown = { ...events[1], seq: 3, at: '', type: 'moon.rose', data: { a: 1 } } as unknown as Event;
    const [without, run] = [foldRun(planFor(one), events), foldRun(planFor(one), [...events, unknown])];
    expect(run?.ledger.last).toBe(3);
    expect({ ...run, at: '', ledger: null }).toEqual({ ...without, at: '', ledger: null });
  });
});

describe('isReached', () => {
  it('every need is done and, if edges lead there, one of them holds', () => {
    const graph = graphOf([tool('a'), tool('b'), tool('c', { needs: ['a'] })], {
      edges: [
        { from: 'a', to: 'c', when: { field: 'x.y', equals: { z: 1 } } },
        { from: 'b', to: 'c', when: { field: '', equals: 'all' } },
      ],
    });
    const after = (a: unknown, b: unknown) =>
      stateAfter(graph, [
        startedEvent('a'),
        endedEvent('a', 'ok', { output: a }),
        startedEvent('b'),
        endedEvent('b', 'ok', { output: b }),
      ]);
    expect(isReached(after({ x: { y: { z: 1 } } }, null), 2)).toBe(true);
    expect(isReached(after(null, 'all'), 2)).toBe(true);
    expect(isReached(after(null, null), 2)).toBe(false);
    expect(isReached(stateAfter(graph, [startedEvent('b'), endedEvent('b', 'ok', { output: 'all' })]), 2)).toBe(false);
  });
});
