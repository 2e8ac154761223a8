import { describe, expect, it } from 'vitest';
import type { Event } from '../../../src/core/schema/event.ts';
import { pathOfRun } from '../../../src/kit/views/run-path.ts';

const started = (node: string, more: object = {}): Event =>
  ({ type: 'call.started', data: { node, ...more } }) as unknown as Event;
const settled = (node: string, status: string, reason = ''): Event =>
  ({ type: 'node.settled', data: { node, status, reason } }) as unknown as Event;

describe('pathOfRun', () => {
  it('names a node once however many calls it makes, and again for each round of a loop', () => {
    const events = [started('a'), started('a'), started('b'), started('a', { restarts: ['a', 'b'] }), started('b')];
    expect(pathOfRun(events, new Set(['a', 'b']))).toEqual(['a', 'b', 'a', 'b']);
  });

  it('counts the items of a map and the parts of a node as that node, and nothing else', () => {
    const events = [started('all__0'), started('all__1'), started('buy__ask'), started('buy'), started('x__y')];
    expect(pathOfRun(events, new Set(['all', 'buy', 'x__y']))).toEqual(['all', 'buy', 'x__y']);
  });

  it('leaves out what was skipped or reused', () => {
    const events = [settled('a', 'skipped'), settled('b', 'done', 'reused from run r1'), settled('c', 'done')];
    expect(pathOfRun(events, new Set(['a', 'b', 'c']))).toEqual(['c']);
  });
});
