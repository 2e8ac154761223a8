import { describe, expect, it } from 'vitest';
import { stuckReason } from '../../../src/core/engine/loop-detection.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Evidence } from '../../../src/core/schema/ports.ts';

let turn = 0;
const called = (tool: string, output: Json, error: string | null = null): Evidence => ({
  turn: (turn += 1),
  decision: { kind: 'CallTool', tool, input: { x: 1 }, rationale: '' },
  outcome: error === null ? 'ok' : 'failed',
  output,
  error,
});
const moved = (to: string): Evidence => ({
  turn: (turn += 1),
  decision: { kind: 'Transition', to, rationale: '' },
  outcome: null,
  output: null,
  error: null,
});
const times = (count: number, make: (at: number) => Evidence): Evidence[] =>
  Array.from({ length: count }, (_, at) => make(at));

describe('stuckIn', () => {
  it('says nothing about an agent that gets on', () => {
    expect(stuckReason([])).toBeNull();
    expect(stuckReason(times(30, (at) => called('look', at)))).toBeNull();
    expect(stuckReason(times(2, () => called('look', 1)))).toBeNull();
  });

  it('notices the same call with the same result three times in a row, also with moves in between', () => {
    expect(stuckReason([called('look', 1), moved('decide'), called('look', 1), moved('act'), called('look', 1)])).toBe(
      'the same call came to the same end 3 times',
    );
    expect(stuckReason([called('look', 1), called('look', 1), called('look', 2)])).toBeNull();
    expect(stuckReason([called('look', 1), called('peek', 1), called('look', 1)])).toBeNull();
  });

  it('notices two calls that alternate three times', () => {
    const pairs = times(6, (at) => called(at % 2 === 0 ? 'look' : 'peek', at % 2));
    expect(stuckReason(pairs.slice(0, 5))).toBeNull();
    expect(stuckReason(pairs)).toBe('two calls alternated 3 times');
  });

  it('notices the same error three times, whatever was tried', () => {
    const tries = times(3, (at) => called(`tool ${at}`, null, 'no space'));
    expect(stuckReason(tries)).toBe('the same error came 3 times: no space');
    expect(stuckReason([...tries.slice(0, 2), called('other', null, 'no time')])).toBeNull();
    const refused = times(3, (at) => ({ ...called(`tool ${at}`, null, 'denied: '), outcome: 'denied' as const }));
    expect(stuckReason(refused)).toBeNull();
  });

  it('notices twelve turns without anything new', () => {
    const moves = times(12, (at) => moved(at % 2 === 0 ? 'explore' : 'decide'));
    expect(stuckReason(moves.slice(0, 11))).toBeNull();
    expect(stuckReason(moves)).toBe('nothing new in 12 turns');
    expect(stuckReason([...moves.slice(0, 11), called('look', 'new')])).toBeNull();
    expect(stuckReason([called('look', 'old'), ...moves.slice(0, 11), called('peek', 'old')])).toBe(
      'nothing new in 12 turns',
    );
  });
});

describe('several calls of one turn', () => {
  const read = (turn: number, path: number): Evidence => ({
    turn,
    decision: { kind: 'CallTool', tool: 'read', input: path, rationale: '' },
    outcome: 'ok',
    output: `content of ${path}`,
    error: null,
  });

  it('that read again what was read before are one turn without progress, not many', () => {
    const paths = Array.from({ length: 16 }, (_, path) => path);
    const twice = [...paths.map((path) => read(0, path)), ...paths.map((path) => read(1, path))];
    expect(stuckReason(twice)).toBeNull();
    const often = Array.from({ length: 13 }, (_, turn) => paths.map((path) => read(turn, path))).flat();
    expect(stuckReason(often)).toContain('nothing new in 12 turns');
  });
});
