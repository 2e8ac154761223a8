import { describe, expect, it } from 'vitest';
import { eligible } from '../../../../src/core/chain/middleware/eligible.ts';
import { callOf, ok, through } from '../../../support/engine-fakes.ts';

const pass = through(eligible());
const { bounds } = callOf();

describe('eligible', () => {
  it.each([
    ['no bounds', {}, 'ok'],
    ['a tool of the step', { tools: ['peek', 'look'] }, 'ok'],
    ['a class of the state', { classes: ['read'] }, 'ok'],
    ['a tool that is not of the step', { tools: ['peek'] }, 'denied'],
    ['a step without tools', { tools: [] }, 'denied'],
    ['a class that is not of the state', { classes: ['write_local'] }, 'denied'],
    ['a tool of the step in a state without calls', { tools: ['look'], classes: [] }, 'denied'],
  ] as const)('%s: %j is %s', async (_, change, status) => {
    expect(await pass(callOf({ bounds: { ...bounds, ...change } }), async () => ok())).toMatchObject({ status });
  });

  it('leaves the class deny to the guard, which says what in the call is the reason', async () => {
    const denied = callOf({ class: 'deny', bounds: { ...bounds, classes: ['read'] } });
    expect(await pass(denied, async () => ({ status: 'denied', error: 'the guard' }))).toMatchObject({
      error: 'the guard',
    });
  });
});
