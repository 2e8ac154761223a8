import { expect, it } from 'vitest';
import {
  assertOwned,
  assertRequestOwned,
  mustAwaitClaim,
  withoutUnclaimed,
} from '../../../src/daemon/fleet/assert-owned.ts';
import { fleetRuns } from '../../../src/daemon/fleet/fleet-runs.ts';
import type { TaskGraph } from '../../../src/ledger/task-graph.ts';
import type { Event } from '../../../src/schema/event.ts';
import type { Intake } from '../../../src/schema/intake.ts';

const claimed = { type: 'run.claimed', run: 'far', seq: 1, data: { epoch: 1 } } as unknown as Event;
const state = fleetRuns.apply(fleetRuns.initial(), claimed);
const projections = { stateOf: (() => state) as never };
const owning = (task: string): { owned: { isReady: (each: string) => boolean } } => ({
  owned: { isReady: (each) => each === task },
});

it('a run of the fleet continues only in the process that has claimed it, and its runs inside with it', () => {
  for (const run of ['far', 'far.execute.0']) {
    expect(() => assertOwned(projections, null, run)).toThrow('belongs to the fleet');
    expect(() => assertOwned(projections, owning('other'), run)).toThrow('has not claimed it');
    expect(() => assertOwned(projections, owning('far'), run)).not.toThrow();
  }
  expect(() => assertOwned(projections, null, 'farther')).not.toThrow();
});

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
    expect(mustAwaitClaim(projections, owning('other'), intake)).toBe(true);
    expect(mustAwaitClaim(projections, owning('far'), intake)).toBe(false);
    expect(mustAwaitClaim(projections, null, intake)).toBe(false); // it is refused: this process never claims a run
    expect(() => assertRequestOwned(projections, null, intake)).toThrow('has not claimed it');
    expect(() => assertRequestOwned(projections, owning('far'), intake)).not.toThrow();
    const fenced = { type: 'run.fenced', run: 'far', seq: 2, data: {} } as unknown as Event;
    const lost = { stateOf: (() => fleetRuns.apply(structuredClone(state), fenced)) as never };
    expect(mustAwaitClaim(lost, owning('other'), intake)).toBe(false);
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
