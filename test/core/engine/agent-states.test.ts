import { describe, expect, it } from 'vitest';
import { canOffer, defaultStates, type StateGraph, statesToCall } from '../../../src/core/engine/agent-states.ts';

describe('the states that a call leads through', () => {
  it.each([
    ['intake', 'read', ['explore']],
    ['intake', 'write_local', ['decide', 'act']],
    ['explore', 'read', []],
    ['explore', 'external_mutation', ['decide', 'act']],
    ['act', 'read', []],
    ['validate', 'write_local', ['act']],
    ['done', 'read', null],
    ['explore', 'deny', null],
  ] as const)('from %s a call of class %s goes through %j', (from, effect, path) => {
    expect(statesToCall(defaultStates, from, { tool: 'x', class: effect })).toEqual(path);
  });

  it('a state that names its tools is entered only for these', () => {
    const states: StateGraph = {
      start: 'a',
      states: {
        a: { to: ['b', 'c'], classes: [] },
        b: { to: [], classes: ['read'], tools: ['only'] },
        c: { to: ['a'], classes: ['read', 'write_local'] },
      },
    };
    expect(statesToCall(states, 'a', { tool: 'only', class: 'read' })).toEqual(['b']);
    expect(statesToCall(states, 'a', { tool: 'other', class: 'read' })).toEqual(['c']);
    expect(statesToCall(states, 'b', { tool: 'other', class: 'read' })).toBeNull();
    expect(canOffer(states, 'b', { name: 'only', isReadOnly: false })).toBe(false);
    expect(canOffer(states, 'c', { name: 'other', isReadOnly: false })).toBe(true);
  });
});
