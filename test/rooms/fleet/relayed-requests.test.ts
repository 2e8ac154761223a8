import { describe, expect, it } from 'vitest';
import { problemWith } from '../../../src/rooms/fleet/relayed-requests.ts';
import type { FleetAnswers } from '../../../src/core/schema/answer-rights.ts';
import type { FleetRequest } from '../../../src/core/schema/fleet-requests.ts';
import type { Intake } from '../../../src/core/schema/intake.ts';

const answerTo = (wait: string): Intake => ({ kind: 'answer', wait, answer: { verdict: 'approved' } });

const isRefused = (answers: FleetAnswers, from: string, intake: Intake = answerTo('far.execute.0')): boolean => {
  const request: FleetRequest = { kind: 'request', id: 'r', task: 'far', intake };
  return problemWith({ name: 'worker', answers }, request, { from, home: 'home' }) !== null;
};

describe('Z1 who may answer what a task asks at its worker', () => {
  it.each<[FleetAnswers, string[]]>([
    ['here', []],
    ['home', ['home']],
    [['laptop'], ['home', 'laptop']],
    ['fleet', ['home', 'laptop', 'stranger']],
  ])('OKA_FLEET_ANSWERS=%s: %j', (answers, accepted) => {
    expect(['home', 'laptop', 'stranger'].filter((from) => !isRefused(answers, from))).toEqual(accepted);
  });

  it('another member answers only, and only that task, whatever is set', () => {
    for (const kind of ['cancel', 'pause', 'resume'] as const)
      expect(isRefused('fleet', 'laptop', { kind, run: 'far' }), kind).toBe(true);
    expect(isRefused('fleet', 'laptop', { kind: 'note', run: 'far', text: 'x' })).toBe(true);
    expect(isRefused('fleet', 'laptop', answerTo('other.execute.0'))).toBe(true);
    expect(isRefused('fleet', 'laptop', answerTo('farther.execute.0'))).toBe(true);
  });
});
