/** Owns: the order in which a worker does things: renewed settings, what was stopped, then the next task of the inbox. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Claimed, RefusedClaim } from '../../kit/inbox/claim-task.ts';
import type { Inbox } from '../../kit/inbox/inbox-options.ts';
import { isScheduled } from '../../kit/schedule/schedule-spec.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { watchConfig } from '../../kit/home/config-file.ts';
import { memberPort } from '../../rooms/fleet/fleet-member.ts';
import { withoutUnclaimed } from '../../kit/fleet/assert-owned.ts';
import type { DiskSpace } from '../../kit/home/disk-space.ts';
import { describeStop, isDraining, isHalted, isPaused, isStopped } from '../../kit/home/stop-files.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Host } from '../../kit/house/host.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { procedureReader } from '../../rooms/procedures/procedure-chooser.ts';
import { goalsAwaitingDesk } from '../../kit/views/desk-wait.ts';
import { accept, acceptNeeds, notesOn } from '../../kit/inbox/accept.ts';
import { modelWaits } from './model-waits.ts';
import { resumeQueue } from './resume-runs.ts';
import { cancelSuperseded, startScheduled, storeSchedule } from '../../rooms/schedules/start-scheduled.ts';
import type { Log } from '../../kit/log-line.ts';
import { pause } from '../../kit/pause.ts';

const POLL_MS = 500;
/** Tasks that wait for their turn on the desk take no place from those that could work; but not without end. */
const MOST_WAITING = 32;

const NEEDED = {
  ledger: ports.ledger,
  taskGraph: ports.taskGraph,
  models: ports.models,
  fitsProcedure: ports.fitsProcedure,
  projections: ports.projections,
  runs: ports.runs,
  fleet: ports.fleet,
};

export type CheckConfig = ReturnType<typeof watchConfig>;

/** Until the signal, or until another worker should begin with settings that have changed. */
export async function takeTasks(
  host: Host,
  inbox: Inbox,
  { space, checkConfig }: { space: DiskSpace; checkConfig: CheckConfig },
  signal: AbortSignal,
  log: Log,
): Promise<void> {
  const { home } = host;
  const { ledger, taskGraph, models, fitsProcedure, projections, runs, fleet } = host.valuesOf(NEEDED);
  const hasModel = (): boolean => models.for('planner') !== null;
  const waits = {
    engine: runs,
    stops: {
      get seen() {
        return host.stops.seen + (fleet?.owned.readyCount() ?? 0);
      },
    },
    taskGraph: () => withoutUnclaimed(taskGraph(), projections, fleet),
    hasModel,
    fitsProcedure,
  };
  const atWork = new Set<Promise<unknown>>();
  const refused: Refused = new Map();
  const goOnWithoutModel = modelWaits(waits, procedureReader(home.ledgers.maintenance), (run, error) => {
    if (!space.ranOut(error)) log(`${run}: ${messageOf(error)}`);
  });
  const toResume = resumeQueue(host, space, log);
  const work = (drive: Promise<unknown>): void => {
    const watched = drive.finally(() => atWork.delete(watched));
    atWork.add(watched);
  };
  const isFull = (): boolean => {
    const { slots, busy } = host.backend.capabilities();
    const waiting = Math.min(MOST_WAITING, goalsAwaitingDesk(taskGraph().goals));
    return Math.max(atWork.size, busy) - waiting >= slots;
  };
  const reportHalt = haltReporter(home, log);
  let stops = -1;
  while (!signal.aborted) {
    ledger.checkPen();
    if (ledger.failure !== null) throw ledger.failure;
    if (atWork.size === 0 && isIdle(taskGraph()) && (await hasNewConfig(checkConfig, host, log))) return;
    if (isDraining(home) && atWork.size === 0 && isIdle(taskGraph()) && (fleet?.taskCount() ?? 0) === 0) return;
    reportHalt();
    const isBlocked = space.isShort() || isStopped(home);
    if (!isBlocked && host.stops.seen > stops) {
      stops = host.stops.seen;
      toResume.fill();
    }
    if (!isBlocked) await goOnWithoutModel();
    if (!isBlocked) await cancelSuperseded(host).catch((error: unknown) => log(`schedules: ${messageOf(error)}`));
    const resumed = isBlocked || isFull() ? null : toResume.resumeNext();
    if (resumed !== null) {
      work(resumed);
      continue;
    }
    if (isBlocked || isHalted(home) || isFull()) {
      await Promise.race([rest(signal), ...atWork]);
      continue;
    }
    const scheduled = await startScheduledIfDue(host, space, log);
    if (scheduled !== null) work(scheduled.done);
    if (isFull()) continue;
    const claimed = await (scheduled === null
      ? inbox.next(AbortSignal.any([signal, AbortSignal.timeout(2 * POLL_MS)]))
      : inbox.take());
    if (claimed === null) continue;
    if (isStopped(home) || isHalted(home) || isFull()) {
      inbox.putBack(claimed);
      continue;
    }
    const rested = await acceptOrPutBack(host, inbox, claimed, { space, refused, log });
    if (rested === null) continue;
    work(rested.done);
  }
  while (atWork.size > 0) {
    await host.engine.stopAll('the worker was stopped'); // also what began while the others were being stopped
    await Promise.race([sleep(POLL_MS), ...atWork]);
  }
}

function stopText(home: Home): string {
  const { why, fix } = describeStop(home);
  return `stopped: nothing runs, since ${why}. ${fix}`;
}

/** Reports once that everything is stopped or paused, and that it goes on. */
function haltReporter(home: Home, log: Log): () => void {
  let before = 'working';
  return () => {
    const now = isStopped(home) ? 'stopped' : isDraining(home) ? 'draining' : isPaused(home) ? 'paused' : 'working';
    if (now === before) return;
    before = now;
    if (now === 'stopped') log(stopText(home));
    else if (now === 'draining') log('draining: no new task begins; the worker ends when it has finished what it has');
    else if (now === 'paused') log('paused: no new task begins until you run oka unpause');
    else log('goes on: tasks begin again');
  };
}

const isIdle = ({ goals }: TaskGraph): boolean => goals.every(({ status }) => status !== 'running');

/** W4 in worker.ts: whoever keeps this process alive starts the next one, which reads the settings. */
async function hasNewConfig(check: CheckConfig, { valuesOf }: Host, log: Log): Promise<boolean> {
  const change = await check();
  if (change.kind === 'invalid')
    await valuesOf({ ledger: ports.ledger }).ledger.append({
      type: 'intake.rejected',
      data: { name: 'config.json', reason: change.reason.slice(0, 10_000) },
    });
  if (change.kind === 'changed') log('config.json has changed: a worker with the new settings begins');
  return change.kind === 'changed';
}

const rest = (signal: AbortSignal): Promise<void> => pause(POLL_MS, signal);

/** A member of a fleet gives a task to all members, unless only this home can do it. */
async function acceptHereOrSend(host: Host, claimed: Claimed): Promise<string | null> {
  const { fleet } = host.valuesOf({ fleet: memberPort });
  if (fleet === null) return accept(host.valuesOf(acceptNeeds), claimed);
  const { canTravel, sendTask } = await import('../../rooms/fleet/send-task.ts');
  if (!(await canTravel(host, fleet, claimed))) return accept(host.valuesOf(acceptNeeds), claimed);
  await sendTask(host, fleet, claimed);
  return null;
}

type AcceptedTask = { done: Promise<unknown> };

/** Starts a run that a time of a schedule has made. */
async function startScheduledIfDue(host: Host, space: DiskSpace, log: Log): Promise<AcceptedTask | null> {
  const failed = (what: string, error: unknown): unknown => space.ranOut(error) || log(`${what}: ${messageOf(error)}`);
  try {
    const started = await startScheduled(host, log);
    if (started === null) return null;
    const { run, title } = started;
    log(`scheduled: ${title} (${run})`);
    return { done: host.backend.wait(run).catch((error: unknown) => failed(run, error)) };
  } catch (error) {
    failed('a scheduled run could not start', error);
    await sleep(POLL_MS);
    return null;
  }
}

/** Why each task could not be accepted; it is tried again, and reported when the reason is a new one. */
type Refused = Map<string, string>;

type Accepting = { space: DiskSpace; refused: Refused; log: Log };

async function acceptOrPutBack(
  host: Host,
  inbox: Inbox,
  claimed: Claimed,
  { space, refused, log }: Accepting,
): Promise<AcceptedTask | null> {
  const failed = (what: string, error: unknown): unknown => space.ranOut(error) || log(`${what}: ${messageOf(error)}`);
  try {
    const isLater = isScheduled(claimed.task);
    const isNew = !refused.has(claimed.id);
    if (!isLater && isNew) log(`accepted: ${claimed.title} (${claimed.id})`);
    for (const note of isNew ? notesOn(claimed) : []) log(`${claimed.id}: ${note}`);
    const run = isLater ? await storeSchedule(host, claimed) : await acceptHereOrSend(host, claimed);
    inbox.finish(claimed);
    refused.delete(claimed.id);
    const done: Promise<unknown> = run === null ? Promise.resolve() : host.backend.wait(run);
    return { done: done.catch((error: unknown) => failed(claimed.id, error)) };
  } catch (error) {
    await putBack(inbox, claimed, error, { space, refused, log });
    return null;
  }
}

/** Without space here everything waits. Whatever else keeps one task, such as servers that do not take it, lets others pass. */
async function putBack(
  inbox: Inbox,
  claimed: Claimed,
  error: unknown,
  { space, refused, log }: Accepting,
): Promise<void> {
  if (error instanceof RefusedClaim) {
    refused.delete(claimed.id);
    return inbox.refuse(claimed, error);
  }
  const reason = messageOf(error);
  const isOutOfSpace = space.ranOut(error);
  if (!isOutOfSpace && refused.get(claimed.id) !== reason)
    log(`${claimed.name} could not be accepted and stays in the inbox: ${reason}`);
  refused.set(claimed.id, reason);
  if (!isOutOfSpace) return inbox.holdUp(claimed);
  inbox.putBack(claimed);
  await sleep(POLL_MS);
}
