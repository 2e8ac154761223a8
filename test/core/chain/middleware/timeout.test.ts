import { describe, expect, it } from 'vitest';
import type { Outcome, ToolCall } from '../../../../src/core/schema/tool.ts';
import { timeout } from '../../../../src/core/chain/middleware/timeout.ts';
import { callOf, everythingLeft, ok, through } from '../../../support/engine-fakes.ts';

const pass = through(timeout());
const { bounds } = callOf();

/** Ends only when it is told to. */
const patient = ({ signal }: ToolCall): Promise<Outcome> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ status: 'cancelled', error: 'told to' })));

describe('timeout', () => {
  it('an attempt that takes longer than its node allows is stopped, and has failed for now', async () => {
    let told: AbortSignal | null = null;
    const outcome = await pass(
      callOf({ bounds: { ...bounds, timeoutMs: 1 } }),
      (call) => ((told = call.signal), patient(call)),
    );
    expect(outcome).toEqual({
      status: 'failed',
      error: 'it did not end within 0.001 s and was stopped',
      temporary: true,
    });
    expect(told).toMatchObject({ aborted: true });
  });

  it('of what was being sent to the outside nobody has seen whether it arrived, whatever rights it had', async () => {
    const late = { timeoutMs: 1 };
    for (const terms of [
      { class: 'external_mutation' },
      { class: 'write_local', judged: 'external_mutation' },
    ] as const)
      expect(await pass(callOf({ ...terms, bounds: { ...bounds, ...late } }), patient)).toMatchObject({ unseen: true });
    for (const effect of ['read', 'write_local'] as const)
      expect(await pass(callOf({ class: effect, bounds: { ...bounds, ...late } }), patient)).not.toHaveProperty(
        'unseen',
      );
  });

  it('one that ignores that is left behind', async () => {
    expect(
      await pass(callOf({ bounds: { ...bounds, timeoutMs: 1 } }), () => new Promise(() => undefined)),
    ).toMatchObject({ status: 'failed' });
  });

  it('the time that is left for the whole run is a limit, too', async () => {
    expect(await pass(callOf({ left: () => ({ ...everythingLeft, seconds: 0.001 }) }), patient)).toMatchObject({
      error: expect.stringContaining('0.001 s'),
    });
  });

  it('a stop from outside gets through', async () => {
    const stop = new AbortController();
    const outcome = pass(callOf({ signal: stop.signal, bounds: { ...bounds, timeoutMs: 60_000 } }), patient);
    stop.abort();
    expect(await outcome).toMatchObject({ status: 'cancelled' });
    const late = pass(
      callOf({ signal: AbortSignal.abort(), bounds: { ...bounds, timeoutMs: 60_000 } }),
      async ({ signal }) => ok(signal.aborted),
    );
    expect(await late).toEqual(ok(true));
  });

  it('what ends in time, or has no limit, passes as it is', async () => {
    expect(await pass(callOf({ bounds: { ...bounds, timeoutMs: 60_000 } }), async () => ok(1))).toEqual(ok(1));
    const call = callOf();
    expect(await pass(call, async (given) => ok(given === call))).toEqual(ok(true));
  });
});
