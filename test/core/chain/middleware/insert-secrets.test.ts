import { describe, expect, it } from 'vitest';
import { callChain } from '../../../../src/core/engine/middleware-chain.ts';
import { secrets } from '../../../../src/core/chain/middleware/insert-secrets.ts';
import { callOf, failed, ok, through } from '../../../support/engine-fakes.ts';

const redact = (text: string): string => text.replaceAll('hunter2', '[redacted:TOKEN]');

describe('secrets', () => {
  it('the tool gets the values, the call it was made from keeps the names', async () => {
    const call = callOf({ input: 'secret:TOKEN' });
    const inputs: unknown[] = [];
    const pass = through(secrets(async (given) => ({ ...given, input: 'hunter2' }), redact));
    expect(await pass(call, async ({ input }) => (inputs.push(input), ok()))).toEqual(ok());
    expect(inputs).toEqual(['hunter2']);
    expect(call.input).toBe('secret:TOKEN');
  });

  it('no value comes back, be it in an output, a key of it, an error or a question', async () => {
    const pass = through(secrets(async (call) => call, redact));
    expect(await pass(callOf(), async () => ok({ hunter2: ['a hunter2 b', 1, null] }))).toEqual(
      ok({ '[redacted:TOKEN]': ['a [redacted:TOKEN] b', 1, null] }),
    );
    expect(await pass(callOf(), async () => failed('no hunter2'))).toEqual(failed('no [redacted:TOKEN]'));
    const asks = { status: 'waiting', for: { kind: 'question', text: 'is it hunter2?' } } as const;
    expect(await pass(callOf(), async () => asks)).toMatchObject({ for: { text: 'is it [redacted:TOKEN]?' } });
  });

  it('an outcome without a value is the one the tool gave', async () => {
    const outcome = ok({ a: [{ b: 'fine' }] });
    expect(await through(secrets(async (call) => call, redact))(callOf(), async () => outcome)).toBe(outcome);
  });

  it('a call that may not have a secret never reaches the tool', async () => {
    const pass = through(secrets(async () => ({ status: 'denied', error: 'not for this tool' }), redact));
    let reached = false;
    expect(await pass(callOf(), async () => ((reached = true), ok()))).toEqual({
      status: 'denied',
      error: 'not for this tool',
    });
    expect(reached).toBe(false);
  });

  it('a vault that cannot be opened keeps the tool from being reached', async () => {
    const pass = through(secrets(() => Promise.reject(new Error('the vault is damaged'))));
    await expect(pass(callOf(), async () => ok())).rejects.toThrow('the vault is damaged');
  });

  it('without a vault a call passes as it is', async () => {
    const call = callOf();
    expect(await callChain([secrets()], async (given) => ok(given === call))(call)).toEqual(ok(true));
  });
});
