import { describe, expect, it } from 'vitest';
import type { Goal } from '../../../src/core/ledger/goal.ts';
import { type TaskGraph, taskGraph } from '../../../src/core/ledger/task-graph.ts';
import { checkEvent, type Event, type NewEvent } from '../../../src/core/schema/event.ts';

const sha256 = 'a'.repeat(64);
const nodes = [
  { id: 'a', title: 'A' },
  { id: 'b', title: 'B', needs: ['a'] },
];
const started: NewEvent = {
  type: 'run.started',
  run: 'r1',
  data: { title: 'Goal', parent: 'r0', state: 'PLAN', graph: { id: 'g', sha256 }, nodes },
};
const callStarted = (node: string | null): NewEvent => ({
  type: 'call.started',
  run: 'r1',
  data: { call: `r1.${node}.1`, node, tool: 't', class: 'read', input: null },
});
const callEnded = (node: string | null, settles?: 'done' | 'failed' | 'skipped'): NewEvent => ({
  type: 'call.ended',
  run: 'r1',
  data: { call: `r1.${node}.1`, node, status: 'ok', ...(settles === undefined ? {} : { settles }) },
});
const timer = { kind: 'timer', until: '2026-01-01T00:00:00Z' } as const;
const waitOpened = (wait: string, node: string | null): NewEvent => ({
  type: 'wait.opened',
  run: 'r1',
  data: { wait, node, for: timer },
});
const waitClosed = (wait: string, node: string | null): NewEvent => ({
  type: 'wait.closed',
  run: 'r1',
  data: { wait, node, answer: { verdict: 'elapsed' } },
});
const paused: NewEvent = { type: 'run.paused', run: 'r1', data: { reason: '' } };
const resumed: NewEvent = { type: 'run.resumed', run: 'r1', data: { reason: '' } };
const ended = (status: 'done' | 'failed' | 'cancelled', run = 'r1'): NewEvent => ({
  type: 'run.ended',
  run,
  data: { status, reason: '' },
});

describe('a run', () => {
  it('begins with run.started: running, its nodes pending', () => {
    expect(folded(started)).toEqual({
      events: 1,
      goals: [
        {
          run: 'r1',
          title: 'Goal',
          status: 'running',
          state: 'PLAN',
          parent: 'r0',
          first: 1,
          last: 1,
          nodes: [
            { id: 'a', title: 'A', needs: [], acceptance: [], status: 'pending' },
            { id: 'b', title: 'B', needs: ['a'], acceptance: [], status: 'pending' },
          ],
          waits: [],
        },
      ],
      ended: [],
    });
  });

  it('gets a new plan by run.planned, keeping what is done', () => {
    const plan: NewEvent = {
      type: 'run.planned',
      run: 'r1',
      data: {
        nodes: [
          { id: 'c', title: 'C' },
          { id: 'a', title: 'A again' },
          { id: 'b', title: 'B' },
        ],
        reason: '',
      },
    };
    const goal = goalOf(started, callEnded('a', 'done'), callEnded('b', 'failed'), plan);
    expect(goal.nodes.map(({ id, title, status }) => [id, title, status])).toEqual([
      ['c', 'C', 'pending'],
      ['a', 'A again', 'done'],
      ['b', 'B', 'pending'],
    ]);
  });

  it('changes its state by run.moved', () => {
    const moved: NewEvent = { type: 'run.moved', run: 'r1', data: { from: 'PLAN', to: 'EXECUTE', reason: '' } };
    expect(goalOf(started, moved)).toMatchObject({ state: 'EXECUTE', status: 'running' });
  });

  it('is paused by run.paused and goes on by run.resumed', () => {
    expect(goalOf(started, paused)).toMatchObject({ status: 'paused' });
    expect(goalOf(started, paused, resumed)).toMatchObject({ status: 'running' });
  });

  it.each(['done', 'failed', 'cancelled'] as const)('leaves the goals when it ended as %s', (status) => {
    const graph = folded(started, waitOpened('w', 'a'), ended(status));
    expect(graph.goals).toEqual([]);
    expect(graph.ended).toMatchObject([{ run: 'r1', status, last: 3, waits: [] }]);
  });

  it('knows the first and the last of its own events', () => {
    const other: NewEvent = { ...started, run: 'r2' };
    const goals = folded(other, started, paused, { ...paused, run: 'r2' }, resumed).goals;
    expect(goals.map(({ run, first, last }) => [run, first, last])).toEqual([
      ['r2', 1, 4],
      ['r1', 2, 5],
    ]);
  });

  it('that ended is not changed by what comes later', () => {
    const graph = folded(started, ended('done'), paused, callStarted('a'));
    expect(graph.ended).toEqual(folded(started, ended('done')).ended);
    expect(graph.events).toBe(4);
  });

  it('can begin again under the same name once it ended', () => {
    const graph = folded(started, ended('failed'), started, paused);
    expect(graph.goals).toMatchObject([{ run: 'r1', status: 'paused', first: 3 }]);
    expect(graph.ended).toMatchObject([{ run: 'r1', status: 'failed', first: 1 }]);
  });
});

describe('a node', () => {
  it('is running from call.started on', () => {
    expect(statusesOf(started, callStarted('a'))).toEqual(['running', 'pending']);
  });

  it.each(['done', 'failed', 'skipped'] as const)('is %s when a call.ended settles it so', (settles) => {
    expect(statusesOf(started, callStarted('a'), callEnded('a', settles))).toEqual([settles, 'pending']);
  });

  it('stays running when its call ended but settles nothing: another attempt follows', () => {
    expect(statusesOf(started, callStarted('a'), callEnded('a'))).toEqual(['running', 'pending']);
  });

  it.each(['done', 'failed', 'skipped'] as const)('is %s when node.settled says so', (status) => {
    const settled: NewEvent = { type: 'node.settled', run: 'r1', data: { node: 'b', status, reason: '' } };
    expect(statusesOf(started, settled)).toEqual(['pending', status]);
  });

  it('is waiting while its wait is open, and then what the event says', () => {
    const closed = (becomes: 'pending' | 'running' | 'done' | 'failed'): NewEvent => ({
      type: 'wait.closed',
      run: 'r1',
      data: { wait: 'w', node: 'b', answer: { verdict: 'answered' }, becomes },
    });
    expect(statusesOf(started, waitOpened('w', 'b'))).toEqual(['pending', 'waiting']);
    for (const becomes of ['pending', 'running', 'done', 'failed'] as const)
      expect(statusesOf(started, waitOpened('w', 'b'), closed(becomes))).toEqual(['pending', becomes]);
  });

  it('that waited is settled by the answer in a ledger that does not say what becomes of it', () => {
    expect(statusesOf(started, waitOpened('w', 'b'), waitClosed('w', 'b'))).toEqual(['pending', 'done']);
  });

  it('is pending again when an edge back starts it over', () => {
    const again: NewEvent = {
      type: 'call.started',
      run: 'r1',
      data: { call: 'r1.a.1.1', node: 'a', tool: 't', class: 'read', input: null, restarts: ['a', 'b'] },
    };
    expect(statusesOf(started, callEnded('a', 'done'), callEnded('b', 'done'), again)).toEqual(['running', 'pending']);
  });

  it('that is unknown or none changes no other', () => {
    const events = [callStarted('x'), callEnded(null, 'done'), waitOpened('w', null), waitClosed('w', null)];
    expect(statusesOf(started, ...events)).toEqual(['pending', 'pending']);
  });
});

describe('waiting', () => {
  it('is listed with what is awaited, until it is closed', () => {
    const goal = goalOf(started, waitOpened('w1', 'a'), waitOpened('w2', null));
    expect(goal.waits).toEqual([
      { wait: 'w1', node: 'a', for: timer },
      { wait: 'w2', node: null, for: timer },
    ]);
    expect(goalOf(started, waitOpened('w1', 'a'), waitOpened('w2', null), waitClosed('w1', 'a')).waits).toEqual([
      { wait: 'w2', node: null, for: timer },
    ]);
  });

  it('blocks the run until the last wait is closed', () => {
    const open = [started, waitOpened('w1', 'a'), waitOpened('w2', 'b')];
    expect(goalOf(...open).status).toBe('blocked');
    expect(goalOf(...open, waitClosed('w1', 'a')).status).toBe('blocked');
    expect(goalOf(...open, waitClosed('w1', 'a'), waitClosed('w2', 'b')).status).toBe('running');
  });

  it('does not block the run while another node is running', () => {
    expect(goalOf(started, callStarted('a'), waitOpened('w', 'b')).status).toBe('running');
  });

  it('leaves a paused run paused, and counts when it is resumed', () => {
    expect(goalOf(started, paused, waitOpened('w', 'a')).status).toBe('paused');
    expect(goalOf(started, paused, waitOpened('w', 'a'), resumed).status).toBe('blocked');
    expect(goalOf(started, waitOpened('w', 'a'), paused, waitClosed('w', 'a')).status).toBe('paused');
  });

  it('that was never opened closes nothing', () => {
    expect(goalOf(started, waitOpened('w', 'a'), waitClosed('x', 'a'))).toMatchObject({
      status: 'blocked',
      waits: [{ wait: 'w' }],
    });
  });
});

describe('the graph', () => {
  it.each<NewEvent>([
    { type: 'ledger.repaired', data: { offset: 0, bytes: 1, sha256, kept: 'x' } },
    { type: 'ledger.disk_full', data: { refused: 1 } },
    { type: 'ledger.disk_freed', data: {} },
    { type: 'ledger.archived', data: { first: 1, last: 1, segments: [] } },
    { type: 'worker.started', data: { version: '1', node: '1', host: 'h', pid: 1 } },
    { type: 'worker.stopped', data: { reason: '' } },
    { type: 'intake.received', data: { id: 'i', intake: { kind: 'cancel', run: 'r1' } } },
    { type: 'intake.rejected', data: { name: 'i', reason: '' } },
    { type: 'run.paused', run: 'unknown', data: { reason: '' } },
    { type: 'run.paused', data: { reason: '' } },
    { type: 'run.started', data: { title: 'without a run', graph: { id: 'g', sha256 } } },
  ])('counts $type and changes no goal by it', (event) => {
    const before = folded(started);
    expect(folded(started, event)).toEqual({ ...before, events: 2 });
  });

  it('notes decision.rejected as the last of its run and changes nothing else', () => {
    const rejected: NewEvent = { type: 'decision.rejected', run: 'r1', data: { node: 'a', turn: 0, reason: 'x' } };
    expect(goalOf(started, rejected)).toEqual({ ...goalOf(started), last: 2 });
  });

  it('shows the node of a decision as running, or as what the decision makes of it', () => {
    const data = { node: 'a', turn: 0, decision: { kind: 'Fail', reason: 'x' } } as const;
    expect(statusesOf(started, { type: 'decision.made', run: 'r1', data })).toEqual(['running', 'pending']);
    expect(statusesOf(started, { type: 'decision.made', run: 'r1', data: { ...data, settles: 'failed' } })).toEqual([
      'failed',
      'pending',
    ]);
  });

  it('keeps the last twenty ended goals in sight', () => {
    const events = Array.from({ length: 25 }, (_, index): NewEvent[] => [
      { ...started, run: `r${index}` },
      ended('done', `r${index}`),
    ]);
    expect(folded(...events.flat()).ended.map((goal) => goal.run)).toEqual(
      Array.from({ length: 20 }, (_, index) => `r${index + 5}`),
    );
  });

  it('is plain JSON: a snapshot of it can be folded on', () => {
    const events = [started, callStarted('a'), waitOpened('w', 'b'), callEnded('a', 'done'), waitClosed('w', 'b')];
    let graph = taskGraph.initial();
    for (const event of numbered(events))
      graph = taskGraph.apply(JSON.parse(JSON.stringify(graph)) as TaskGraph, event);
    expect(graph).toEqual(folded(...events));
  });

  it('shares nothing with the next one that begins', () => {
    taskGraph.apply(taskGraph.initial(), numbered([started])[0] as Event);
    expect(taskGraph.initial()).toEqual({ events: 0, goals: [], ended: [] });
  });
});

function folded(...events: NewEvent[]): TaskGraph {
  return numbered(events).reduce((graph, event) => taskGraph.apply(graph, event), taskGraph.initial());
}

function goalOf(...events: NewEvent[]): Goal {
  const goal = folded(...events).goals[0];
  if (goal === undefined) throw new Error('there is no goal');
  return goal;
}

function statusesOf(...events: NewEvent[]): string[] {
  return goalOf(...events).nodes.map((node) => node.status);
}

function numbered(events: readonly NewEvent[]): Event[] {
  const at = '2026-01-01T00:00:00.000Z';
  return events.map((event, index) => ({ ...checkEvent(event), seq: index + 1, at, pen: 'run' }) as Event);
}
