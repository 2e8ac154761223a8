import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { validate } from '../../../../src/core/chain/middleware/validate.ts';
import { callOf, failed, ok, through, toolNamed } from '../../../support/engine-fakes.ts';

const tool = toolNamed('look', () => ok(), { input: z.strictObject({ path: z.string() }), output: z.number() });
const pass = through(validate(new Map([['look', tool]])));

describe('validate', () => {
  it('input of the wrong shape never gets further, and every place is named', async () => {
    const outcome = await pass(callOf({ input: { path: 1, more: 2 } }), () => Promise.reject(new Error('too far')));
    expect(outcome).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^look cannot take this input: path: .*; .*more.*; its fields are path$/),
    });
  });

  it('output of the wrong shape never gets out', async () => {
    const given = callOf({ input: { path: 'x' } });
    expect(await pass(given, async () => ok('text'))).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('gave an output it does not promise'),
    });
    expect(await pass(given, async () => ok(5))).toEqual(ok(5));
    expect(await pass(given, async () => failed('no'))).toEqual(failed('no'));
  });

  it('a tool that nobody knows fails', async () => {
    expect(await pass(callOf({ tool: 'nobody' }), async () => ok())).toEqual(failed('there is no tool "nobody"'));
  });
});
