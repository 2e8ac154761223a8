import { describe, expect, it } from 'vitest';
import { record } from '../../../../src/core/chain/middleware/record-attempt.ts';
import { callOf, failed, latch, ok, through } from '../../../support/engine-fakes.ts';

const pass = through(record());

describe('record', () => {
  it('the first attempt was written down by the drive', async () => {
    const intend = () => Promise.reject(new Error('not again'));
    expect(await pass(callOf({ intend }), async () => ok())).toEqual(ok());
  });

  it('a further attempt acts only when it is written down', async () => {
    const log: string[] = [];
    const disk = latch();
    const call = callOf({ previous: failed('no'), intend: () => (log.push('intended'), disk.promise) });
    const acted = pass(call, async () => (log.push('acted'), ok()));
    await Promise.resolve();
    expect(log).toEqual(['intended']);
    disk.resolve();
    await acted;
    expect(log).toEqual(['intended', 'acted']);
  });

  it('an attempt that cannot be written down does not act', async () => {
    const call = callOf({ previous: failed('no'), intend: () => Promise.reject(new Error('no disk')) });
    await expect(pass(call, () => Promise.reject(new Error('too far')))).rejects.toThrow('no disk');
  });
});
