import { describe, expect, it } from 'vitest';
import { callChain } from '../../../../src/core/engine/middleware-chain.ts';
import { heal } from '../../../../src/core/chain/middleware/heal.ts';
import { callOf, failed, ok, through } from '../../../support/engine-fakes.ts';

const needs = { kind: 'requirement', name: 'ffmpeg' } as const;

describe('heal', () => {
  it('a failure with a known remedy says what is needed and waits for nothing itself', async () => {
    const pass = through(heal((_, { error }) => (error.includes('ffmpeg') ? needs : null)));
    expect(await pass(callOf(), async () => failed('ffmpeg: not found'))).toEqual({ status: 'waiting', for: needs });
    expect(await pass(callOf(), async () => failed('no space'))).toEqual(failed('no space'));
  });

  it('only failures are looked at', async () => {
    const pass = through(heal(() => needs));
    expect(await pass(callOf(), async () => ok('ffmpeg'))).toEqual(ok('ffmpeg'));
    expect(await pass(callOf(), async () => ({ status: 'cancelled', error: 'ffmpeg' }))).toMatchObject({
      status: 'cancelled',
    });
  });

  it('without a diagnosis a failure stays one', async () => {
    expect(await callChain([heal()], async () => failed('x'))(callOf())).toEqual(failed('x'));
  });
});

describe('heal with advice', () => {
  it('a failure that nobody can mend stays one, and says what a person could do', async () => {
    const pass = through(heal(() => ({ advice: 'Say where it comes from.' })));
    expect(await pass(callOf(), async () => failed('grpe: not found'))).toEqual(
      failed('grpe: not found\nSay where it comes from.'),
    );
  });
});
