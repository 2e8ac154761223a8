import { describe, expect, it } from 'vitest';
import { stillClaimed } from '../../../../src/core/chain/middleware/still-claimed.ts';
import { callOf, ok, through } from '../../../support/engine-fakes.ts';

function setting(problem: string | null, isSure = false) {
  const steps: string[] = [];
  const pass = through(
    stillClaimed({
      isSure: () => isSure,
      makeSure: async (run) => {
        steps.push(`asked about ${run}`);
        return problem;
      },
    }),
  );
  const pauseClock = () => {
    steps.push('clock paused');
    return () => void steps.push('clock goes on');
  };
  const call = (change: Parameters<typeof callOf>[0] = {}) =>
    pass(callOf({ class: 'external_mutation', run: 'r', pauseClock, ...change }), async () => {
      steps.push('acted');
      return ok();
    });
  return { steps, call };
}

describe('a call of a run that others could go on with', () => {
  it('acts when the claim is known to be the last one', async () => {
    const { steps, call } = setting('lost', true);
    expect(await call()).toEqual(ok());
    expect(steps).toEqual(['acted']);
  });

  it('asks first when that is not known, which takes nothing off its time', async () => {
    const { steps, call } = setting(null);
    expect(await call()).toEqual(ok());
    expect(steps).toEqual(['clock paused', 'asked about r', 'clock goes on', 'acted']);
  });

  it('does not begin when the run was lost, and says so', async () => {
    const { steps, call } = setting('another member goes on with r');
    expect(await call()).toEqual({ status: 'cancelled', error: 'another member goes on with r', begun: false });
    expect(steps).not.toContain('acted');
  });

  it('asks about nothing for what only reads', async () => {
    const { steps, call } = setting('lost');
    await call({ class: 'read' });
    expect(steps).toEqual(['acted']);
  });
});
