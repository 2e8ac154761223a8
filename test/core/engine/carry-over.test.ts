import { describe, expect, it } from 'vitest';
import { carriedOverEvents } from '../../../src/core/engine/carry-over.ts';
import { applyEvent } from '../../../src/core/engine/fold-run.ts';
import { topologicalOrder } from '../../../src/core/engine/graph-plan.ts';
import type { RunState } from '../../../src/core/engine/run-state.ts';
import { checkEvent, type Event, type NewEvent } from '../../../src/core/schema/event.ts';
import type { Graph } from '../../../src/core/schema/graph.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { graphOf } from '../../support/engine-fakes.ts';
import { endedEvent, resumed, startedEvent, stateAfter } from '../../support/engine-state.ts';

const tool = (id: string, rest: object = {}): object => ({ kind: 'tool', id, tool: 'look', ...rest });
type Bare = Parameters<typeof stateAfter>[1];

const over: NonNullable<Bare>[number] = { type: 'run.ended', data: { status: 'failed', reason: 'no' } };

/** What the run `next` begins with, and where it then stands. */
function continued(graph: Graph, events: NonNullable<Bare>, input: Json = null): { kept: NewEvent[]; next: RunState } {
  const failed = stateAfter(graph, [...events, over], { input });
  const next: RunState = { ...stateAfter(graph, [], { input }), id: 'next' };
  const kept: NewEvent[] = [];
  for (const index of topologicalOrder(next.plan))
    for (const event of carriedOverEvents(failed, next, index)) {
      kept.push(event);
      applyEvent(next, asWritten(event, kept.length + 1));
    }
  return { kept, next };
}

const asWritten = (event: NewEvent, seq: number): Event =>
  ({ ...checkEvent(event), seq, at: new Date(seq * 1000).toISOString(), pen: 'run' }) as Event;

const statuses = ({ nodes }: RunState): string[] => nodes.map(({ status }) => status);

describe('a run that continues a failed one', () => {
  const chain = graphOf([tool('a'), tool('b', { needs: ['a'] }), tool('c', { needs: ['b'] })]);

  it('keeps what was done with what it gave, and has the rest before it', () => {
    const { kept, next } = continued(chain, [
      startedEvent('a'),
      endedEvent('a', 'ok', { output: { n: 1 } }),
      startedEvent('b'),
      endedEvent('b', 'failed', { error: 'no' }),
    ]);
    expect(kept).toEqual([
      {
        type: 'node.settled',
        run: 'next',
        data: { node: 'a', status: 'done', reason: 'reused from run r', output: { n: 1 } },
      },
    ]);
    expect(statuses(next)).toEqual(['done', 'pending', 'pending']);
    expect([...next.ready]).toEqual([1]);
  });

  it('keeps nothing where nothing was done', () => {
    const { kept, next } = continued(chain, [startedEvent('a'), endedEvent('a', 'failed', { error: 'no' })]);
    expect(kept).toEqual([]);
    expect([...next.ready]).toEqual([0]);
  });

  it('has spent nothing of its own yet', () => {
    const usage = { tokens_in: 10, usd: 1 };
    const { next } = continued(chain, [startedEvent('a'), endedEvent('a', 'ok', { output: 1, usage })]);
    expect(next.spent).toMatchObject({ tokens: 0, usd: 0, tool_calls: 0 });
  });
});

describe('a call that nobody saw the end of', () => {
  const parallel = graphOf([tool('a'), tool('b')]);
  const write = { tool: 'save', class: 'write_local', input: { n: 1 }, key: 'once' };
  const cut = [startedEvent('a', write), resumed, startedEvent('b'), endedEvent('b', 'failed', { error: 'no' })];

  it('stays in doubt under its own name, with all that it was called with: it is not repeated blindly', () => {
    const { kept, next } = continued(parallel, cut);
    expect(kept).toMatchObject([
      { type: 'call.started', run: 'next', data: { node: 'a', call: 'r.a.0.1', attempt: 1, ...write } },
      { type: 'call.ended', run: 'next', data: { node: 'a', call: 'r.a.0.1', status: 'cancelled' } },
    ]);
    expect(kept[1]?.data).toMatchObject({ error: expect.stringContaining('when run r failed') as string });
    expect(next.nodes[0]).toMatchObject({ doubt: true, again: { call: 'r.a.0.1', key: 'once' }, open: null });
  });

  it('has no key where it had none', () => {
    const { kept } = continued(parallel, [startedEvent('a', { class: 'write_local' }), resumed]);
    expect(kept[0]?.data).not.toHaveProperty('key');
  });

  it('that ended before the run failed is not in doubt', () => {
    const { kept } = continued(parallel, [startedEvent('a', write), endedEvent('a', 'failed', { error: 'no' })]);
    expect(kept).toEqual([]);
  });
});

describe('a step that had started a run', () => {
  const starting = (name: string): Graph => graphOf([tool('a', { tool: name })]);
  const end = (status: string): Json => ({ run: 'r.a.0.0-12345678', status, reason: '', output: null });
  const gave = (name: string, status: string): NewEvent[] =>
    continued(starting(name), [startedEvent('a', { tool: name }), endedEvent('a', 'ok', { output: end(status) })]).kept;

  it('that failed starts it again; one that got done is kept', () => {
    expect(gave('run.start', 'failed')).toEqual([]);
    expect(gave('run.start', 'done')).toHaveLength(1);
  });

  it('is one of run.start alone: what another tool gave is kept whatever it looks like', () => {
    expect(gave('look', 'failed')).toHaveLength(1);
  });
});

describe('the items of a map', () => {
  const map = graphOf([
    tool('list'),
    { kind: 'map', id: 'm', needs: ['list'], over: '{{list}}', each: tool('x', { input: '{{item}}' }) },
  ]);
  const listed = (items: Json): NonNullable<Bare> => [
    startedEvent('list'),
    endedEvent('list', 'ok', { output: items }),
  ];
  const itemDone = (at: number, output: Json): NonNullable<Bare> => [
    startedEvent(`m__${at}`),
    endedEvent(`m__${at}`, 'ok', { output }),
  ];

  it('that were done are kept, and only the others are left', () => {
    const events = [
      ...listed(['x', 'y']),
      ...itemDone(0, 'X'),
      startedEvent('m__1'),
      endedEvent('m__1', 'failed', { error: 'no' }),
    ];
    const { kept, next } = continued(map, events);
    expect(kept.map(({ data }) => (data as { node: string }).node)).toEqual(['list', 'm__0']);
    expect(next.nodes.find((_, index) => next.configs[index]?.id === 'm__0')).toMatchObject({
      status: 'done',
      output: 'X',
    });
    expect([...next.ready].map((index) => next.configs[index]?.id)).toEqual(['m__1']);
  });

  it('are not kept for another item in their place', () => {
    const failed = stateAfter(map, [...listed(['x', 'y']), ...itemDone(0, 'X'), over]);
    const next: RunState = { ...stateAfter(map, listed(['z', 'y'])), id: 'next' };
    expect(carriedOverEvents(failed, next, 1)).toEqual([]);
  });
});

describe('a step that a planner decides about', () => {
  it('begins anew unless it was done: what it had in mind is not carried over', () => {
    const agent = graphOf([{ kind: 'agent', id: 'a', goal: 'g' }]);
    const decision = { kind: 'CallTool', tool: 'look', input: null, rationale: '' };
    const thought = { type: 'decision.made', data: { node: 'a', turn: 0, decision } } as NonNullable<Bare>[number];
    const { kept, next } = continued(agent, [thought, startedEvent('a', { class: 'write_local' }), resumed]);
    expect(kept).toEqual([]);
    expect(next.nodes[0]).toMatchObject({ status: 'pending', agent: null });
  });
});
