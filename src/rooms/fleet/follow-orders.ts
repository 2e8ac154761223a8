/**
 * Owns: following the orders of the fleet: `oka fleet stop`, `resume` and `drain`.
 *
 * D1 A member takes nothing before it has read the orders, so that one that joins later follows them, too.
 * D2 While the fleet is stopped a file in the home says so, like .oka/STOP, and everything in this home follows it. The
 *    file is there before the event that records the order, and stays while the servers do not answer.
 * D3 Every order that is followed is recorded once in the ledger of this home.
 */
import { rmSync } from 'node:fs';
import type { StoredOrder } from './servers/fleet-orders.ts';
import { replaceFile } from '../../core/ledger/disk.ts';
import { type Halts, readHalts } from '../../kit/fleet/fleet-runs.ts';
import { fleetStopFile, isDraining } from '../../kit/home/stop-files.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { rest, type Work } from './work-in-progress.ts';
import { pause } from '../../kit/pause.ts';

const READ_MS = 1500;

export async function followOrders(work: Work): Promise<void> {
  await followOnce(work);
  await pause(READ_MS, work.signal);
}

/** Resolves when the orders were read once, or the worker ends (D1). */
export async function readFirstOrders(work: Work): Promise<void> {
  while (!work.signal.aborted) {
    const isRead = await followOnce(work).then(
      () => true,
      () => false,
    );
    if (isRead) return;
    await rest(work.signal);
  }
}

async function followOnce(work: Work): Promise<void> {
  const { orders, name } = work.member;
  const forAll = await orders.read(null);
  const own = await orders.read(name);
  markStopped(work, forAll);
  await record(work, 'isStopped', forAll);
  await record(work, 'isDrained', own);
}

function markStopped({ host: { home } }: Work, order: StoredOrder | null): void {
  if (order?.isHalted === true)
    replaceFile(fleetStopFile(home), `Stopped at ${order.by}, ${order.at}. Go on: oka fleet resume\n`);
  else rmSync(fleetStopFile(home), { force: true });
}

const NAMES = {
  isStopped: { true: 'stop', false: 'resume' },
  isDrained: { true: 'drain', false: 'work' },
} as const satisfies Record<keyof Halts, object>;

async function record(work: Work, halt: keyof Halts, order: StoredOrder | null): Promise<void> {
  const { host, member, log } = work;
  const { projections } = host.valuesOf({ projections: ports.projections });
  const isHalted = order?.isHalted === true;
  if (readHalts(projections)[halt] === isHalted) return;
  const { by = member.name, revision = 0 } = order ?? {};
  const name = NAMES[halt][`${isHalted}`];
  await member.ownLedger.append({ type: 'fleet.ordered', data: { order: name, by, revision } });
  log(`fleet: ${name}, as ordered at ${by}`);
}

/** Whether this member takes nothing new: it was ordered to, or its worker is about to end. */
export function isDrainingMember({ host }: Work): boolean {
  return readHalts(host.valuesOf({ projections: ports.projections }).projections).isDrained || isDraining(host.home);
}
