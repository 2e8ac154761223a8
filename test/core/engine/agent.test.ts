import { describe, expect, it } from 'vitest';
import { applyDecision, recordOutcome, newAgent, applyRejection, takeQueued } from '../../../src/core/engine/agent.ts';
import { defaultStates } from '../../../src/core/engine/agent-states.ts';
import type { SideEffectClass } from '../../../src/core/schema/effect.ts';
import type { Decision } from '../../../src/core/schema/decision.ts';

const rationale = 'because';

describe('decided', () => {
  it('a transition moves the agent, and to failed ends it', () => {
    const agent = newAgent('intake');
    expect(applyDecision(agent, 0, { kind: 'Transition', to: 'explore', rationale })).toBeNull();
    expect(agent).toMatchObject({ state: 'explore', turn: 1, question: null, queue: [] });
    expect(applyDecision(agent, 1, { kind: 'Transition', to: 'failed', rationale })).toEqual({
      status: 'failed',
      reason: 'because',
    });
    expect(applyDecision(agent, 2, { kind: 'Transition', to: 'failed', rationale: '' })).toMatchObject({
      reason: 'the agent stopped without a result',
    });
  });

  it.each<Decision>([
    { kind: 'CallTool', tool: 'look', input: null, rationale },
    { kind: 'AskHuman', question: 'What?', rationale },
  ])('$kind stays to be done', (decision) => {
    const agent = newAgent('act');
    expect(applyDecision(agent, 3, decision)).toBeNull();
    expect(agent).toMatchObject({ turn: 4, evidence: [{ turn: 3, decision, outcome: null }] });
    expect(agent).toMatchObject(
      decision.kind === 'AskHuman'
        ? { question: decision, queue: [] }
        : { question: null, queue: [{ tool: 'look', input: null, entry: 0 }] },
    );
  });

  it('Finish and Fail end the node', () => {
    expect(applyDecision(newAgent('x'), 0, { kind: 'Finish', output: 7, rationale })).toEqual({
      status: 'done',
      output: 7,
      reason: 'because',
    });
    expect(applyDecision(newAgent('x'), 0, { kind: 'Fail', reason: 'no', rationale })).toEqual({
      status: 'failed',
      reason: 'no',
    });
  });
});

describe('learned', () => {
  it('what came of it is told with the last decision', () => {
    const agent = newAgent('act');
    applyDecision(agent, 0, { kind: 'CallTool', tool: 'look', input: null, rationale });
    recordOutcome(agent, 'failed', null, 'not there');
    expect(agent.evidence).toMatchObject([{ turn: 0, outcome: 'failed', error: 'not there' }]);
  });
});

describe('several calls of one turn', () => {
  const decision: Decision = {
    kind: 'CallTool',
    tool: 'a',
    input: 1,
    also: [
      { tool: 'b', input: 2 },
      { tool: 'c', input: 3 },
    ],
    rationale,
  };
  const outcomes = (agent: ReturnType<typeof newAgent>): unknown[] =>
    agent.evidence.map((each) => [each.decision.kind === 'CallTool' && each.decision.tool, each.outcome]);

  it('are made in order, and each outcome belongs to its call', () => {
    const agent = newAgent('act');
    applyDecision(agent, 0, decision);
    const start = (effect: SideEffectClass): void => {
      takeQueued(agent, defaultStates, { tool: agent.queue[0]?.tool ?? '', class: effect }, false);
    };
    expect(agent.queue[0]).toMatchObject({ tool: 'a', input: 1 });
    start('read');
    recordOutcome(agent, 'ok', 'of a', null, 'read');
    expect(agent.queue[0]).toMatchObject({ tool: 'b', input: 2 });
    start('read');
    recordOutcome(agent, 'failed', null, 'no b', 'read');
    start('write_local');
    recordOutcome(agent, 'ok', 'of c', null, 'write_local');
    expect(outcomes(agent)).toEqual([
      ['a', 'ok'],
      ['b', 'failed'],
      ['c', 'ok'],
    ]);
    expect(agent).toMatchObject({ turn: 1, queue: [], evidence: [{ turn: 0 }, { turn: 0 }, { turn: 0 }] });
  });

  it('after a change that did not succeed the rest is not made', () => {
    const agent = newAgent('act');
    applyDecision(agent, 0, decision);
    takeQueued(agent, defaultStates, { tool: 'a', class: 'write_local' }, false);
    recordOutcome(agent, 'denied', null, 'no', 'write_local');
    expect(agent).toMatchObject({ question: null, queue: [] });
    expect(outcomes(agent)).toEqual([
      ['a', 'denied'],
      ['b', null],
      ['c', null],
    ]);
  });
});

describe('rejected', () => {
  it('two answers that are not allowed are told back, the third in a row ends the node', () => {
    const agent = newAgent('intake');
    expect(applyRejection(agent, 'no such tool')).toBeNull();
    expect(agent.problem).toBe('no such tool');
    expect(applyRejection(agent, 'still no way')).toBeNull();
    expect(applyRejection(agent, 'no way')).toBe('the planner answered 3 times in a row what is not allowed: no way');
  });

  it('an answer that is allowed in between counts anew', () => {
    const agent = newAgent('intake');
    applyRejection(agent, 'one');
    applyDecision(agent, 0, { kind: 'Transition', to: 'explore', rationale });
    expect(agent).toMatchObject({ rejections: 0, problem: null });
    expect(applyRejection(agent, 'two')).toBeNull();
  });
});
