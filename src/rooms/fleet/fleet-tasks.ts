/**
 * Owns: working for the fleet: taking tasks from its queue, one owner at a time, and returning their results.
 * Does not own: the fence (rooms/fleet/servers/run-fence.ts), what taking over means (take-over.ts).
 *
 * G1 Nothing of a task is done before its run is claimed, and nothing more once it is lost: its commands are ended.
 * G2 A task leaves the queue when its result was published. A worker that dies before leaves it to another.
 * G3 A member that has lost a run may get it again, once it has recorded the loss: then the run begins here from the
 *    stream (begin-claimed.ts). Until then its task is in progress here, and a later delivery of it waits.
 * G4 Only a member that knows every event and tool of a run takes it over (can-replay.ts). A task that has ended three
 *    workers is set aside (set-aside-task.ts).
 * G5 Nobody goes on from a damaged history: it is refilled first (backfill-runs.ts).
 * G6 While a command of before has the desk, a member goes on with its own runs only: others can begin what it cannot.
 */
import { join } from 'node:path';
import { isOver } from '../../core/engine/run-state.ts';
import { type FruitlessClaim, fruitlessClaims, MOST_FRUITLESS } from './servers/fruitless-claims.ts';
import { type Claim, claimRun, type RunFence } from './servers/run-fence.ts';
import { foldHistory, type RunHistory } from './servers/run-owner.ts';
import type { Delivery } from './servers/result-queue.ts';
import type { QueuedTask } from './servers/task-queue.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { TaskMessage } from '../../core/schema/fleet.ts';
import type { Host } from '../../kit/house/host.ts';
import { isPaused, isStopped } from '../../kit/home/stop-files.ts';
import type { Log } from '../../kit/log-line.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { beginRun, resume } from './begin-claimed.ts';
import { followAskedTasks } from './asked-tasks.ts';
import { damageProblem, replayProblem } from './can-replay.ts';
import { compareOwnedRuns } from './compare-owned.ts';
import { endedClaims } from './ended-claims.ts';
import type { FleetMember } from './fleet-member.ts';
import { fleetRuns } from '../../kit/fleet/fleet-runs.ts';
import { followOrders, isDrainingMember, readFirstOrders } from './follow-orders.ts';
import { handOver } from './hand-over.ts';
import { reportMember } from './member-report.ts';
import { receiveRelayed } from './relayed-requests.ts';
import { publishResult, storeResult } from './return-result.ts';
import { endRuns, findLost, OWNED_ELSEWHERE, recordLost } from './lost-runs.ts';
import { memorySharing } from './share-memory.ts';
import { setAsideTask } from './set-aside-task.ts';
import { releaseFolder, reserveFolder } from './reserve-folder.ts';
import { sweepFetched } from './run-folder.ts';
import { type Active, rest, type Work } from './work-in-progress.ts';

const UNABLE_MS = 10_000;

/** Until the signal. */
export async function workForFleet(host: Host, member: FleetMember, signal: AbortSignal, log: Log): Promise<void> {
  const work: Work = {
    host,
    member,
    signal,
    log,
    active: new Map(),
    fenced: { count: 0 },
    unable: new Map(),
    differing: new Set(),
    looked: new Map(),
    storing: new Set(),
    isDeskInUse: true,
  };
  member.taskCount = () => work.active.size;
  sweepFetched(join(host.home.oka, 'state'));
  log(`member of the fleet as ${member.name}${member.labels.length === 0 ? '' : ` (${member.labels.join(', ')})`}`);
  for (const name of member.lost) log(`the servers have no ${name}: it is created, and members fill it again`);
  await Promise.all([readFirstOrders(work), Promise.race([untilDeskIsFree(work), rest(signal)])]);
  await Promise.all([
    takeTasksOfFleet(work),
    repeat(work, () => followOrders(work)),
    repeat(work, () => takeNextMessage(work)),
    repeat(work, () => followAskedTasks(work)),
    repeat(work, () => reportMember(work)),
    repeat(work, () => findLost(work)),
    repeat(work, () => compareOwnedRuns(work)),
    repeat(work, memorySharing(work)),
  ]);
}

async function untilDeskIsFree(work: Work): Promise<void> {
  const { deskTurn } = work.host.valuesOf({ deskTurn: ports.deskTurn });
  await deskTurn(() => Promise.resolve()).catch(() => undefined); // whoever writes gets the error
  work.isDeskInUse = false;
}

async function takeTasksOfFleet(work: Work): Promise<void> {
  const { host, member, signal, active, log } = work;
  const inProgress = new Set<Promise<void>>();
  while (!signal.aborted) {
    if (isStopped(host.home) || isPaused(host.home) || isDrainingMember(work) || isFull(work)) {
      await rest(signal);
      continue;
    }
    // the servers may be away; it is asked again
    const taken = await member.queue.take(member.labels).catch(() => rest(signal));
    if (taken === null || taken === undefined) continue;
    if (isDrainingMember(work)) {
      taken.release(); // it was asked for before the order came
      continue;
    }
    const { id } = taken.task;
    const known = active.get(id);
    if (known !== undefined) {
      known.taken = taken;
      continue;
    }
    const done = workOn(work, taken)
      .catch((error: unknown) => log(`${id}: ${messageOf(error)}`))
      .finally(() => inProgress.delete(done));
    inProgress.add(done);
  }
  await Promise.all(inProgress);
}

function isFull({ host, active }: Work): boolean {
  const { slots, busy } = host.backend.capabilities();
  return Math.max(busy, [...active.values()].filter(({ isDriven }) => isDriven).length) >= slots;
}

async function workOn(work: Work, taken: QueuedTask): Promise<void> {
  const { member, active } = work;
  const { id } = taken.task;
  const own: Active = { taken, isDriven: true };
  active.set(id, own);
  const beat = setInterval(() => own.taken.working(), member.ackWaitMs / 3);
  try {
    const messages = await member.log.read(id);
    const history = foldHistory(messages);
    await member.checkStream(); // after it was read: in a stream that was created again, a claim of before is not seen
    if (history.isReturned && own.taken.task.again !== true) return await finish(work, own);
    if (!isAble(work, own.taken.task, history)) return own.taken.release(UNABLE_MS);
    const claim = await claimRun(member.log, id, member.fence, history);
    if (claim === null) return; // whoever was faster says that it works on it
    await member.checkStream(); // the claim is in this stream, however long the answer took
    await workOnClaimed(work, own, claim, fruitlessClaims(messages));
  } finally {
    clearInterval(beat);
    active.delete(id);
  }
}

/** When it resolves or rejects, nothing of the run goes on here unless the worker ends, and a loss is recorded (G1, G3). */
async function workOnClaimed(work: Work, own: Active, claim: Claim, deaths: readonly FruitlessClaim[]): Promise<void> {
  const { fence } = claim;
  void fence.lost.then(() => endRuns(work, fence, OWNED_ELSEWHERE)); // at once, whatever is going on here
  try {
    const ended = deaths.length < MOST_FRUITLESS ? [] : await endedClaims(deaths, claim.sequence, work.member);
    if (ended.length >= MOST_FRUITLESS) await setAsideTask(work, own, claim, ended);
    else await seeThrough(work, own, claim);
  } catch (error) {
    if (!fence.isLost) await giveUp(work, own, fence);
    if (!fence.isLost) throw error;
  } finally {
    if (fence.isLost) await recordLost(work, fence);
  }
}

async function seeThrough(work: Work, own: Active, claim: Claim): Promise<void> {
  const { fence } = claim;
  await beginRun(work, own, claim);
  await untilOver(work, own, fence);
  if (fence.isLost) return;
  if (work.signal.aborted) return own.taken.release(0);
  if (!(await isFinished(work, fence.run))) return handOver(work, own, fence);
  await untilReturned(work, own, fence);
}

/** It could not begin here, such as with a full disk: nothing of it goes on without anybody who sees it through. */
async function giveUp(work: Work, own: Active, fence: RunFence): Promise<void> {
  work.member.owned.markUnready(fence.run);
  await endRuns(work, fence, 'it could not begin at this member');
  work.member.owned.remove(fence);
  own.taken.release();
}

/** G4, G5, G6. Reported once for each task. */
function isAble({ host, member, unable, isDeskInUse, log }: Work, task: TaskMessage, history: RunHistory): boolean {
  const { id } = task;
  const { tools, projections } = host.valuesOf({ tools: ports.tools, projections: ports.projections });
  const mine = projections.stateOf(fleetRuns).claimed[id];
  const isOwn = history.owner?.worker === member.name;
  const problem =
    damageProblem(history, mine?.epoch ?? 0) ??
    replayProblem(history, tools) ??
    (isDeskInUse && !isOwn ? 'a command that began before still uses the desk of this member' : null) ??
    reserveFolder(host, member.name, task);
  if (problem === null) return true;
  if (unable.get(id) !== problem) log(`${id}: not taken, ${problem}`);
  unable.set(id, problem);
  return false;
}

/**
 * Resolves when the run is over or lost, or the worker ends. Meanwhile it may wait for a person; a member that takes
 * nothing new does not wait with it, once nothing of it has gone on for a moment.
 */
async function untilOver(work: Work, own: Active, fence: RunFence): Promise<void> {
  const { host, signal, log } = work;
  const { engine, backend } = host;
  for (let isQuiet = false; ; ) {
    await backend.wait(fence.run).catch((error: unknown) => fence.isLost || log(`${fence.run}: ${messageOf(error)}`));
    if (fence.isLost || signal.aborted) return;
    const state = await engine.stateOf(fence.run);
    if (state !== null && isOver(state.status)) return;
    own.isDriven = state?.status === 'running';
    const isIdle = !own.isDriven && !(await endOfInside(work, fence.run));
    if (isIdle && isQuiet && isDrainingMember(work)) return;
    isQuiet = isIdle;
    await rest(signal);
    // tried again in the next round
    if (own.isDriven && !isStopped(host.home)) await resume(host, fence.run).catch(() => undefined);
  }
}

/** After an answer a run inside the task goes on by itself, and the task when that has ended. Whether one was going on. */
async function endOfInside({ host: { engine }, member }: Work, task: string): Promise<boolean> {
  const inside = member.owned.runsOf(task).filter((run) => engine.isDriven(run));
  await Promise.all(inside.map((run) => engine.whenSettled(run).catch(() => null)));
  return inside.length > 0;
}

async function isFinished({ host: { engine } }: Work, run: string): Promise<boolean> {
  const state = await engine.stateOf(run);
  return state !== null && isOver(state.status);
}

async function finish({ host }: Work, { taken }: Active): Promise<void> {
  await taken.finish();
  releaseFolder(host, taken.task.id);
}

/** The servers may not answer for a while; the result is published until they do. */
async function untilReturned(work: Work, own: Active, fence: RunFence): Promise<void> {
  const { host, member, signal, log } = work;
  while (!signal.aborted && !fence.isLost)
    try {
      await publishResult(host, member, own.taken.task, fence.owner);
      await fence.finish();
      await finish(work, own);
      member.owned.remove(fence);
      return;
    } catch (error) {
      log(`${fence.run}: its result cannot be returned yet: ${messageOf(error)}`);
      await rest(signal);
    }
}

async function takeNextMessage(work: Work): Promise<void> {
  const { member } = work;
  const delivery = await member.results.take(member.name);
  if (delivery === null) return;
  if (delivery.kind === 'request') {
    void receiveRelayed(work, delivery).catch(() => delivery.release()); // others need not wait for its reply
    return;
  }
  if (delivery.kind === 'result') return receiveResult(work, delivery);
  member.relay.receive(delivery.from, delivery.reply);
  await delivery.finish();
}

const MOST_STORING = 4;

/** Others need not wait for it: its files may have to wait for a command that uses the desk. */
function receiveResult({ host, member, log, storing }: Work, delivery: Extract<Delivery, { kind: 'result' }>): void {
  const { id, worker, status } = delivery.result;
  if (storing.has(id) || storing.size >= MOST_STORING) return delivery.release();
  storing.add(id);
  void storeResult(host, member, delivery.result)
    .then(() => delivery.finish())
    .then(() => log(`${id}: ${status}, done by ${worker}`))
    .catch((error: unknown) => {
      log(`${id}: its result cannot be stored yet: ${messageOf(error)}`);
      delivery.release();
    })
    .finally(() => storing.delete(id));
}

/** A failure is tried again after a moment: the servers may be away. */
async function repeat({ signal }: Work, act: () => Promise<void>): Promise<void> {
  while (!signal.aborted) await act().catch(() => rest(signal));
}
