import { describe, expect, it } from 'vitest';
import { explainRun } from '../../../src/kit/views/explanation.ts';
import { graphOf } from '../../support/engine-fakes.ts';
import { closedEvent, endedEvent, eventsOf, openedEvent, startedEvent } from '../../support/engine-state.ts';

const graph = graphOf([{ kind: 'agent', id: 'a', goal: 'x' }], { id: 'Work' });
const artifact = { sha256: 'c'.repeat(64), bytes: 5, media: 'text/plain' };
const question = { kind: 'question', text: 'Well?' };

describe('explainRun', () => {
  it('names what a person has opened, and where; a task of an agent opens nothing', () => {
    const given = (fields: object): object => ({
      name: 't.md',
      title: 't',
      body: 'a'.repeat(64),
      fields,
      first_line: 1,
      dir: null,
    });
    const openedBy = (fields: object): string[] => {
      const events = eventsOf(graph, []).map((event) =>
        event.type === 'run.started'
          ? ({ ...event, data: { ...event.data, input: given(fields) } } as typeof event)
          : event,
      );
      return explainRun(events).timeline.flatMap(({ what, why }) => (what === 'opened' ? [why] : []));
    };
    const hosts = ['good.example', { host: 'api.example', send: true }];
    expect(openedBy({ hosts })).toEqual([
      'good.example: from `hosts:` of the task',
      'api.example (also to send): from `hosts:` of the task',
    ]);
    const from_chat = { conversation: '01jd3k5m7abc', message: '01jd3k5m7xyz', agent: 'oka' };
    expect(openedBy({ hosts, from_chat })).toEqual([]);
  });

  it('tells the states, what was done, why, and what it left', () => {
    const decision = { kind: 'Transition', to: 'explore', rationale: 'look first' } as const;
    const events = eventsOf(graph, [
      { type: 'decision.made', data: { node: 'a', turn: 0, decision } },
      startedEvent('a', { input: { x: 1 } }),
      endedEvent('a', 'failed', { error: 'no', artifacts: [artifact] }),
      openedEvent('a', question),
      closedEvent('a', { verdict: 'answered', text: 'go on' }),
      { type: 'run.paused', data: { reason: 'lunch' } },
      { type: 'run.resumed', data: { reason: 'back' } },
      { type: 'run.moved', data: { from: 'EXECUTE', to: 'CRITIQUE', reason: 'done with it' } },
      { type: 'node.settled', data: { node: 'a', status: 'failed', reason: 'gave up' } },
      { type: 'run.ended', data: { status: 'failed', reason: 'a: gave up' } },
    ]);
    const told = explainRun(events);
    expect(told).toMatchObject({ run: 'r', title: 'Work', status: 'failed', artifacts: [artifact] });
    expect(told.timeline.map(({ what, why }) => [what, why])).toEqual([
      ['EXECUTE', 'started'],
      ['a: explore', 'look first'],
      ['waits for question', 'a'],
      ['answered', 'go on'],
      ['paused', 'lunch'],
      ['resumed', 'back'],
      ['CRITIQUE', 'done with it'],
      ['a failed', 'gave up'],
      ['failed', 'a: gave up'],
    ]);
    expect(told.actions).toEqual([
      {
        seq: 3,
        call: 'r.a.0.1',
        node: 'a',
        attempt: 1,
        tool: 'look',
        class: 'read',
        input: { x: 1 },
        status: 'failed',
        error: 'no',
        ms: 1000,
      },
    ]);
    expect(told.rationales).toEqual([{ seq: 2, node: 'a', turn: 0, decision: 'Transition', why: 'look first' }]);
  });

  it('a call without an outcome is open, and an outcome without a call is passed over', () => {
    const told = explainRun(eventsOf(graph, [startedEvent('a'), endedEvent('a', 'ok', { call: 'r.b.0.1' })]));
    expect(told.actions).toMatchObject([{ status: 'open', ms: null }]);
    expect(told.status).toBe('running');
  });
});
