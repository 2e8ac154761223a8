import { expect, it } from 'vitest';
import { canTravel } from '../../../src/rooms/fleet/send-task.ts';
import { exceptTakenOver } from '../../../src/kit/fleet/taken-over-calls.ts';
import type { FleetMember } from '../../../src/rooms/fleet/fleet-member.ts';
import type { Host } from '../../../src/kit/house/host.ts';
import { fleetRuns } from '../../../src/kit/fleet/fleet-runs.ts';
import type { OpenCall } from '../../../src/core/engine/run-state.ts';
import type { Event } from '../../../src/core/schema/event.ts';

it.each([
  [{ task: {}, body: 'Count the apples.' }, true],
  [{ task: { needs: ['gpu'] }, body: 'Count the apples.' }, true],
  [{ task: { dir: '.' }, body: '' }, false],
  [{ task: { reads: ['~/Documents'] }, body: '' }, false],
  [{ task: { corrects: 'a' }, body: '' }, false],
  [{ task: { from_chat: { conversation: 'c', message: '01jd3k5m7xyz', agent: 'arya' } }, body: '' }, false],
  [{ task: { every: 'monday 08:00' }, body: '' }, false],
  [{ task: {}, body: 'curl -H "secret:TOKEN" x' }, false],
])('a task travels only if it names nothing that one home alone has: %j', async (claimed, expected) => {
  expect(await canTravel(hostWith(['TOKEN']), memberAmong([]), claimed)).toBe(expected);
});

it.each([
  ['here', ['TOKEN', 'b'], ['secret:TOKEN', 'secret:b'], false],
  ['nowhere', [], [], false],
  ['at one other member', ['TOKEN'], ['secret:TOKEN', 'secret:b'], true],
  ['at another member, but not all of them', [], ['secret:TOKEN'], false],
])('a task that names secrets goes to where they are: %s', async (_, here, labels, expected) => {
  const claimed = { task: {}, body: 'Send secret:TOKEN with secret:b.' };
  expect(await canTravel(hostWith(here), memberAmong(labels), claimed)).toBe(expected);
});

function hostWith(secrets: readonly string[]): Host {
  const find = (name: string): Promise<object | null> => Promise.resolve(secrets.includes(name) ? {} : null);
  return { valuesOf: () => ({ vault: { locked: () => null, find } }) } as unknown as Host;
}

const memberAmong = (labels: readonly string[]): FleetMember =>
  ({ name: 'me', members: { list: () => Promise.resolve([{ name: 'other', labels }]) } }) as unknown as FleetMember;

it('T2 no witness of this machine is asked about a call that another member intended', async () => {
  const [heard, quiet] = ['2026-01-01T03:23:40.000Z', '2026-01-01T03:24:10.000Z'];
  const from = { worker: 'one', copied: 1, in_doubt: ['r.a.1'], heard, quiet };
  const claimed = { type: 'run.claimed', run: 'r', seq: 7, data: { epoch: 2, from } } as unknown as Event;
  const state = fleetRuns.apply(fleetRuns.initial(), claimed);
  const witness = exceptTakenOver(() => Promise.resolve({ status: 'cancelled', error: 'never began', begun: false }), {
    stateOf: (() => state) as never,
  });
  const seen = await witness('r', { call: 'r.a.1' } as OpenCall);
  expect(seen).toMatchObject({ status: 'cancelled', unseen: true, elsewhere: true });
  expect(JSON.stringify(seen)).toMatch(
    /one, may still .*: its last message came at 2026-01-01 03:23:40 UTC; .* 03:24:10 UTC/,
  );
  expect(await witness('r', { call: 'r.a.2' } as OpenCall)).toMatchObject({ begun: false });
});
