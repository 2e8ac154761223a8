import { expect, it } from 'vitest';
import { canTravel } from '../../../src/daemon/fleet/send-task.ts';
import { exceptTakenOver } from '../../../src/daemon/fleet/taken-over-calls.ts';
import { fleetRuns } from '../../../src/daemon/fleet/fleet-runs.ts';
import type { OpenCall } from '../../../src/engine/run-state.ts';
import type { Event } from '../../../src/schema/event.ts';

it.each([
  [{ task: {}, body: 'Count the apples.' }, true],
  [{ task: { needs: ['gpu'] }, body: 'Count the apples.' }, true],
  [{ task: { dir: '.' }, body: '' }, false],
  [{ task: { reads: ['~/Documents'] }, body: '' }, false],
  [{ task: { corrects: 'a' }, body: '' }, false],
  [{ task: { every: 'monday 08:00' }, body: '' }, false],
  [{ task: {}, body: 'curl -H "secret:TOKEN" x' }, false],
])('a task travels only if it names nothing that one home alone has: %j', (claimed, expected) => {
  expect(canTravel(claimed)).toBe(expected);
});

it('T2 no witness of this machine is asked about a call that another member intended', async () => {
  const from = { copied: 1, in_doubt: ['r.a.1'] };
  const claimed = { type: 'run.claimed', run: 'r', seq: 7, data: { epoch: 2, from } } as unknown as Event;
  const state = fleetRuns.apply(fleetRuns.initial(), claimed);
  const witness = exceptTakenOver(() => Promise.resolve({ status: 'cancelled', error: 'never began', begun: false }), {
    stateOf: (() => state) as never,
  });
  expect(await witness('r', { call: 'r.a.1' } as OpenCall)).toBeNull();
  expect(await witness('r', { call: 'r.a.2' } as OpenCall)).toMatchObject({ begun: false });
});
