import { expect, it } from 'vitest';
import {
  assertOwned,
  assertRequestOwned,
  mustAwaitFleet,
  wasHandledElsewhere,
  withoutUnclaimed,
} from '../../../src/kit/fleet/assert-owned.ts';
import { fleetRuns } from '../../../src/kit/fleet/fleet-runs.ts';
import { requestRelay } from '../../../src/rooms/fleet/request-relay.ts';
import type { TaskGraph } from '../../../src/core/ledger/task-graph.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Intake } from '../../../src/core/schema/intake.ts';

const claimed = { type: 'run.claimed', run: 'far', seq: 1, data: { epoch: 1 } } as unknown as Event;
const state = fleetRuns.apply(fleetRuns.initial(), claimed);
const projections = { stateOf: (() => state) as never };
const owning = (task: string): Parameters<typeof assertOwned>[1] => ({
  owned: { isReady: (each) => each === task },
  relay: requestRelay({
    name: 'here',
    log: { last: async () => null },
    results: { request: async () => undefined },
    redact: String,
    cancelQueued: async () => false,
  }),
});

it('a run of the fleet continues only in the process that has claimed it, and its runs inside with it', () => {
  for (const run of ['far', 'far.execute.0']) {
    expect(() => assertOwned(projections, null, run)).toThrow('belongs to the fleet');
    expect(() => assertOwned(projections, owning('other'), run)).toThrow('has not claimed it');
    expect(() => assertOwned(projections, owning('far'), run)).not.toThrow();
  }
  expect(() => assertOwned(projections, null, 'farther')).not.toThrow();
});

const take = (): boolean => true;
const REQUESTS: Intake[] = [
  { kind: 'answer', wait: 'far.ask.0.w0', answer: { verdict: 'answered', text: 'yes', by: 'somebody' } },
  { kind: 'cancel', run: 'far' },
  { kind: 'pause', run: 'far' },
  { kind: 'resume', run: 'far' },
  { kind: 'note', run: 'far', text: 'also the prices' },
];

it.each(REQUESTS)(
  'a request waits until its run is claimed again, and is refused once another has it: %j',
  (intake) => {
    expect(mustAwaitFleet(projections, owning('other'), { id: 'id', intake, take })).toBe(true);
    expect(mustAwaitFleet(projections, owning('far'), { id: 'id', intake, take })).toBe(false);
    expect(mustAwaitFleet(projections, null, { id: 'id', intake, take })).toBe(false); // it is refused: this process never claims a run
    expect(() => assertRequestOwned(projections, null, intake)).toThrow('has not claimed it');
    expect(() => assertRequestOwned(projections, owning('far'), intake)).not.toThrow();
    const fenced = { type: 'run.fenced', run: 'far', seq: 2, data: {} } as unknown as Event;
    const lost = { stateOf: (() => fleetRuns.apply(structuredClone(state), fenced)) as never };
    expect(mustAwaitFleet(lost, owning('other'), { id: 'id', intake, take })).toBe(false);
    expect(() => assertRequestOwned(lost, owning('other'), intake)).toThrow('continues at another member');
  },
);

it('what oka continues by itself leaves out a run of the fleet until this process has claimed it', () => {
  const graph = { goals: [{ run: 'far' }, { run: 'far.execute.0' }, { run: 'near' }] } as unknown as TaskGraph;
  const runsFor = (task: string): string[] =>
    withoutUnclaimed(graph, projections, owning(task)).goals.map(({ run }) => run);
  expect(runsFor('other')).toEqual(['near']);
  expect(runsFor('far')).toEqual(['far', 'far.execute.0', 'near']);
});

it.each(REQUESTS)('a request about a task that was given away waits for the reply of its owner: %j', (intake) => {
  const sent = { type: 'task.sent', run: 'far', seq: 1, data: {} } as unknown as Event;
  const given = { stateOf: (() => fleetRuns.apply(fleetRuns.initial(), sent)) as never };
  const member = owning('other');
  expect(mustAwaitFleet(given, member, { id: 'id', intake, take })).toBe(true);
  expect(wasHandledElsewhere(member, intake)).toBe(false);
  const passedOn: string[] = [];
  const relay = { ...member?.relay, isPending: (id: string) => passedOn.push(id) > 0 } as never;
  const withdrawn = { id: 'gone', intake, take: () => false };
  expect(mustAwaitFleet(given, { ...member, relay } as never, withdrawn)).toBe(true);
  expect(passedOn).toEqual([]); // nobody does what its command believes withdrawn
  expect(mustAwaitFleet(given, null, { id: 'id', intake, take })).toBe(false);
  expect(() => assertRequestOwned(given, null, intake)).toThrow('was given to the fleet');
});
