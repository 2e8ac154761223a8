import { describe, expect, it } from 'vitest';
import { confirmedClaims } from '../../../src/rooms/fleet/confirmed-claims.ts';
import type { RunFence } from '../../../src/rooms/fleet/servers/run-fence.ts';

const ACK_MS = 30_000;
const never = new AbortController().signal;

/** A fence whose stream answers as told, last asked so long ago. */
function fenceWith(unconfirmedMs: number, answer: 'ours' | 'theirs' | 'silent then ours') {
  const state = { unconfirmedMs, isLost: false, asked: 0 };
  const fence = {
    get isLost() {
      return state.isLost;
    },
    unconfirmedMs: () => state.unconfirmedMs,
    confirm: async () => {
      state.asked += 1;
      if (answer === 'silent then ours' && state.asked < 3) throw new Error('no answer');
      if (answer === 'theirs') state.isLost = true;
      else state.unconfirmedMs = 0;
    },
  } as unknown as RunFence;
  return { state, claims: confirmedClaims({ fenceOf: (run) => (run === 'r' ? fence : null) }, ACK_MS) };
}

describe('what a run may still let out', () => {
  it('C1 is everything while the stream has said so within a third of the time of silence', async () => {
    const { claims, state } = fenceWith(9000, 'theirs');
    expect(claims.isSure('r')).toBe(true);
    expect(await claims.makeSure('r', never)).toBeNull();
    expect(state.asked).toBe(0);
  });

  it('C1 is nothing after that, before the stream was asked again; it is asked once for all who wait', async () => {
    const { claims, state } = fenceWith(11_000, 'ours');
    expect(claims.isSure('r')).toBe(false);
    expect(await Promise.all([1, 2, 3].map(() => claims.makeSure('r', never)))).toEqual([null, null, null]);
    expect(state.asked).toBe(1);
    expect(claims.isSure('r')).toBe(true);
  });

  it('C1 is nothing any more when another member has claimed the run', async () => {
    const { claims } = fenceWith(11_000, 'theirs');
    expect(await claims.makeSure('r', never)).toBe('another member of the fleet goes on with r');
    expect(claims.isSure('r')).toBe(false);
  });

  it('C2 waits while the servers do not answer, until nobody waits for it any more', async () => {
    const { claims, state } = fenceWith(11_000, 'silent then ours');
    expect(await claims.makeSure('r', AbortSignal.abort())).toMatch(/do not say whether r is still worked on here/);
    expect(await claims.makeSure('r', never)).toBeNull();
    expect(state.asked).toBe(3);
  });

  it('is not asked about runs that no other member can have', async () => {
    const { claims } = fenceWith(11_000, 'theirs');
    expect([claims.isSure('at-home'), claims.isSure(null)]).toEqual([true, true]);
    expect(await claims.makeSure('at-home', never)).toBeNull();
  });
});
