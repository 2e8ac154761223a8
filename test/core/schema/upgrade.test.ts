import { describe, expect, it } from 'vitest';
import type { Line } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { upgradeLine, type Upgrades, versionOf } from '../../../src/core/schema/upgrade.ts';

const known: Upgrades = {
  'run.paused': [
    (data) => ({ ...(data as object), steps: ['1 to 2'] }),
    (data) => {
      const before = data as { steps: Json[] };
      return { ...before, steps: [...before.steps, '2 to 3'] };
    },
  ],
};

describe('upgraded', () => {
  it('U1 takes every step from the version of the line to the present one, in order', () => {
    expect(upgradeLine(lineOf(1, { reason: 'x' }), known)).toMatchObject({
      seq: 7,
      v: 3,
      data: { reason: 'x', steps: ['1 to 2', '2 to 3'] },
    });
    expect(upgradeLine(lineOf(2, { reason: 'x', steps: [] }), known)).toMatchObject({
      v: 3,
      data: { reason: 'x', steps: ['2 to 3'] },
    });
  });

  it('returns a line of the present version as it is', () => {
    const present = lineOf(3, { reason: 'x' });
    expect(upgradeLine(present, known)).toBe(present);
    const unchanged = lineOf(1, { reason: 'x' }, 'run.resumed');
    expect(upgradeLine(unchanged, known)).toBe(unchanged);
  });

  it('leaves the line it was given untouched', () => {
    const line = lineOf(1, { reason: 'x' });
    upgradeLine(line, known);
    expect(line).toEqual(lineOf(1, { reason: 'x' }));
  });

  it.each([4, 5, 0, -1, Number.NaN])('U2 refuses version %s, which no step leads to, naming the event', (v) => {
    expect(() => upgradeLine(lineOf(v, {}), known)).toThrow(
      expect.objectContaining({
        code: 'newer-version',
        message: `seq 7: run.paused has version ${v}; this oka knows up to 3`,
        fix: expect.stringContaining('newer'),
      }),
    );
  });

  it('knows no upgrades for types named like members of an object', () => {
    const line = lineOf(1, {}, 'constructor');
    expect(upgradeLine(line, known)).toBe(line);
    expect(() => upgradeLine(lineOf(2, {}, 'constructor'), known)).toThrow('knows up to 1');
    expect(versionOf('toString', known)).toBe(1);
  });
});

describe('versionOf', () => {
  it('E1 is one more than the number of upgrades', () => {
    expect(versionOf('run.paused', known)).toBe(3);
    expect(versionOf('run.resumed', known)).toBe(1);
  });
});

function lineOf(v: number, data: Json, type = 'run.paused'): Line {
  const zeros = '0'.repeat(64);
  const head = { seq: 7, type, run: 'r1', at: '2026-01-01T00:00:00.000Z', pen: 'run', cause: null };
  return { ...head, v, d: 0, data, prev: zeros, hash: zeros } as unknown as Line;
}
