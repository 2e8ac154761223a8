import { describe, expect, it } from 'vitest';
import { callChain } from '../../../src/engine/compose.ts';
import { secrets } from '../../../src/tools/middleware/secrets.ts';
import { callOf, ok, through } from '../../support/engine-fakes.ts';

describe('secrets', () => {
  it('the tool gets the values, the call it was made from keeps the names', async () => {
    const call = callOf({ input: 'secret:TOKEN' });
    const pass = through(secrets(async (given) => ({ ...given, input: 'hunter2' })));
    expect(await pass(call, async ({ input }) => ok(input))).toEqual(ok('hunter2'));
    expect(call.input).toBe('secret:TOKEN');
  });

  it('a secret that is not there keeps the tool from being reached', async () => {
    const pass = through(secrets(() => Promise.reject(new Error('there is no secret TOKEN'))));
    await expect(pass(callOf(), async () => ok())).rejects.toThrow('there is no secret TOKEN');
  });

  it('without a vault a call passes as it is', async () => {
    const call = callOf();
    expect(await callChain([secrets()], async (given) => ok(given === call))(call)).toEqual(ok(true));
  });
});
