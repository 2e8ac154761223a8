import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { FleetMember } from '../../../src/rooms/fleet/fleet-member.ts';
import { fleetRuns } from '../../../src/kit/fleet/fleet-runs.ts';
import { workForFleet } from '../../../src/rooms/fleet/fleet-tasks.ts';
import { ownedRuns } from '../../../src/rooms/fleet/owned-runs.ts';
import type { Host } from '../../../src/kit/house/host.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import type { QueuedTask } from '../../../src/rooms/fleet/servers/task-queue.ts';
import { OkaError } from '../../../src/core/schema/errors.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import { claimAs, modelRunLog } from '../../support/model-run-log.ts';

const root = mkdtempSync(join(tmpdir(), 'oka-fleet-tasks-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('G3 a run that was lost is claimed again only when what was running of it has ended, and the loss is recorded', async () => {
  const steps: string[] = [];
  const { log } = modelRunLog(
    ({ kind, worker, epoch }) => void (kind === 'claim' && steps.push(`${worker}: ${epoch}`)),
  );
  await claimAs(log, 'one'); // by a process of before
  const ending = Promise.withResolvers<void>();
  const drive = Promise.withResolvers<never>();
  const deliveries: QueuedTask[] = [];
  const member = memberWith(steps, deliveries, log);
  const host = hostWith({
    start: async () => void steps.push('goes on'),
    wait: () => drive.promise,
    stop: async () => {
      drive.reject(new OkaError('run-fenced', 'it was lost'));
      await ending.promise;
    },
  });
  const leaving = new AbortController();
  const working = workForFleet(host, member, leaving.signal, () => undefined);
  deliveries.push(delivery());
  await vi.waitUntil(() => steps.includes('goes on'));
  await claimAs(log, 'two');
  member.owned.publish([{ seq: 9, type: 'run.paused', run: 'task', data: { reason: 'x' } } as unknown as Event]);
  await expect(drive.promise).rejects.toThrow('it was lost');
  deliveries.push(delivery());
  await vi.waitUntil(() => deliveries.length === 0);
  await sleep(20); // as long as it takes to claim it
  ending.resolve();
  await vi.waitUntil(() => steps.includes('run.fenced'));
  deliveries.push(delivery());
  await vi.waitUntil(() => steps.includes('one: 4'));
  leaving.abort();
  await working;
  expect(steps.slice(0, 7)).toEqual(['one: 1', 'one: 2', 'run.claimed', 'goes on', 'two: 3', 'run.fenced', 'one: 4']);
});

it('a task of another home does not get a folder of the desk that was there before', async () => {
  const steps: string[] = [];
  const { log } = modelRunLog(({ kind, worker }) => void (kind === 'claim' && steps.push(`${worker} claims`)));
  const folder = join(root, 'workspace', 'desk', 'taxes');
  mkdirSync(folder, { recursive: true });
  const reports: string[] = [];
  const deliveries: QueuedTask[] = [];
  const leaving = new AbortController();
  const started = async (): Promise<void> => void steps.push('starts');
  const host = hostWith({ start: started, wait: () => new Promise(() => undefined), stop: started });
  const member = memberWith(steps, deliveries, log);
  const working = workForFleet(host, member, leaving.signal, (line) => void reports.push(line));
  const given = { ...delivery().task, id: 'taxes', home: 'bad' };
  const [released, again] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  deliveries.push({ ...delivery(), task: given, release: () => released.resolve() });
  await released.promise;
  expect(reports).toContain('taxes: not taken, desk/taxes is there already and belongs to something else');
  expect(steps).toEqual([]);
  rmSync(folder, { recursive: true });
  deliveries.push({ ...delivery(), task: given, release: () => again.resolve() });
  await vi.waitUntil(() => steps.includes('one claims'));
  leaving.abort();
  await Promise.all([working, again.promise]);
});

const delivery = (): QueuedTask => ({
  task: { id: 'task', home: 'one', by: 'x', name: 'x', body: '0'.repeat(64), needs: [], files: null, links: [] },
  deliveries: 1,
  working: () => undefined,
  finish: () => Promise.resolve(),
  release: () => undefined,
});

function memberWith(steps: string[], deliveries: QueuedTask[], log: FleetMember['log']): FleetMember {
  const append = async (events: NewEvent | readonly NewEvent[]): Promise<void> =>
    void steps.push(...[events].flat().map(({ type }) => type));
  const member = {
    name: 'one',
    labels: [],
    lost: [],
    ackWaitMs: 1000,
    fence: { worker: 'one', process: 'now', version: '1' },
    log,
    checkStream: () => Promise.resolve(),
    queue: { take: async () => deliveries.shift() ?? sleep(1, null) },
    results: { take: () => sleep(1, null) },
    members: { report: () => Promise.reject(new Error('it has nobody to report to')) },
    orders: { read: () => Promise.resolve(null) },
    owned: ownedRuns({ share: () => Promise.resolve(), storeFolder: () => Promise.resolve(null) }),
    ownLedger: { append, read: () => (async function* () {})() },
  };
  return member as unknown as FleetMember;
}

type Driving = { start: () => Promise<void>; wait: () => Promise<never>; stop: () => Promise<void> };

/** A home whose ledger has the run, as it was claimed by a process of before. */
function hostWith({ start, wait, stop }: Driving): Host {
  const claimed = { task: { epoch: 1, seq: 1, copied: 0, missing: 0, inDoubt: [] } };
  const values = {
    projections: { stateOf: () => ({ ...fleetRuns.initial(), claimed, ids: [] }) },
    tools: { get: () => undefined },
    deps: { runsToResume: () => [] },
    taskGraph: () => ({ goals: [] }),
    deskTurn: (work: () => Promise<void>) => work(),
  };
  const host = {
    home: homeAt(root),
    engine: { stateOf: () => Promise.resolve({ status: 'running', waits: new Map() }), stop },
    backend: { capabilities: () => ({ slots: 2, busy: 0 }), start, wait },
    valuesOf: () => values,
  };
  return host as unknown as Host;
}
