/**
 * Owns: the worker: it takes tasks from the inbox, in order, and sees each through to its result.
 *
 * W1 A task is in the ledger before anything is done about it, and its claim ends when its run is in the ledger, too:
 *    none is lost and none is done twice, wherever the process dies.
 * W2 What was in progress when the process ended continues at the next start; what waits for a person goes on waiting.
 *    A run that had ended without its result being written gets its result.
 * W3 While .oka/STOP is there nothing runs; while .oka/PAUSED is there nothing new begins, and the queue fills.
 * W4 Settings that a person has changed apply from the next worker on, which starts once nothing is in progress.
 * W5 A full disk ends nothing: it is reported once, nothing new begins, and what was in progress continues when there is space.
 * W6 When the ledger has closed by itself the worker ends: only the next one, which reads it from disk, can go on.
 */
import { rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { isOver } from '../../core/engine/run-state.ts';
import { sendHeartbeats } from '../../core/ledger/heartbeat.ts';
import { confinementFor } from '../../core/guard/command-rights.ts';
import { openInbox } from '../../kit/inbox/inbox.ts';
import { RECENT_MS } from '../../kit/inbox/recent-claims.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { probeKernel } from '../../kit/sandbox/probe-kernel.ts';
import { noteSupport } from '../../kit/sandbox/sandbox-warning.ts';
import { tidyWitnesses } from '../../kit/sandbox/launch-witness.ts';
import { prepareLauncher } from '../../kit/sandbox/find-launcher.ts';
import { callsFolder } from '../../kit/sandbox/sandbox.ts';
import { watchConfig } from '../../kit/home/config-file.ts';
import { publicIdentity } from '../../kit/home/home-anchors.ts';
import { onceThereIsSpace, watchDiskSpace } from '../../kit/home/disk-space.ts';
import { noteRulesProblem } from '../../kit/home/rules-fixed.ts';
import { fleetStopFile } from '../../kit/home/stop-files.ts';
import { memberPort } from '../../rooms/fleet/fleet-member.ts';
import { type Host, withHost } from '../../kit/house/host.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';
import type { HouseRoom } from '../../kit/house/house.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { egressProxy, programVersion } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ResultReports } from '../../kit/ports/results-port.ts';
import { acceptNeeds, inboxSettings } from '../../kit/inbox/accept.ts';
import { endedCleanly, writePendingResults } from '../../kit/runs/pending-results.ts';
import { readEventsSince, tasksReceivedIn } from './recent-events.ts';
import { type CheckConfig, takeTasks } from './take-tasks.ts';
import { watchFirstChanges } from './withdraw-task.ts';
import type { Log } from '../../kit/log-line.ts';
import { connect } from 'node:net';
import { listRejected } from '../../kit/inbox/list-rejected.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import type { Models } from '../../kit/models/role-models.ts';

const MOST_NAMED = 3;

const PROBE_MS = 3000;

const ASKED: ReadonlySet<string> = new Set(['approval', 'question', 'message']);

const NEEDED = {
  ledger: ports.ledger,
  onDurable: ports.onDurable,
  shadow: ports.shadow,
  taskGraph: ports.taskGraph,
  results: ports.results,
  models: ports.models,
  vault: ports.vault,
  schedules: ports.schedules,
  reaching: ports.reaching,
};
/** Of a reason; all of it is in the ledger. */
const MOST_LINES = 10;
const OUTAGE_EVERY_MS = 300_000;
const diskIsFull = new OkaError('disk-full', 'the ledger has no space');

/** `desktop`: a person who sits at this desktop has started it. */
type WorkOptions = { rooms?: readonly HouseRoom[] | undefined; desktop?: boolean };

export async function work(home: Home, signal: AbortSignal, log: Log, options: WorkOptions = {}): Promise<void> {
  const { rooms, desktop = false } = options;
  const checkConfig = watchConfig(home, rooms); // before it is read: what changes in between is seen
  await onceThereIsSpace(home, { log, signal }, () =>
    withHost(home, signal, (host) => serve(host, { checkConfig, desktop }, signal, log), {
      log,
      rooms,
      joinFleet: async (...given) => (await import('../../rooms/fleet/open-fleet.ts')).openFleet(...given),
    }),
  );
}

async function workForFleetIfMember(host: Host, signal: AbortSignal, log: Log): Promise<void> {
  const { fleet } = host.valuesOf({ fleet: memberPort });
  if (fleet === null)
    rmSync(fleetStopFile(host.home), { force: true }); // it was an order of a fleet that it has left
  else await (await import('../../rooms/fleet/fleet-tasks.ts')).workForFleet(host, fleet, signal, log);
}

type Serving = { checkConfig: CheckConfig; desktop: boolean };

async function serve(host: Host, { checkConfig, desktop }: Serving, signal: AbortSignal, log: Log): Promise<void> {
  const { home } = host;
  const { ledger, onDurable, shadow, taskGraph, results, vault, models, schedules, reaching } = host.valuesOf(NEEDED);
  const locked = vault.locked();
  if (locked !== null) log(`vault: ${locked}. Tasks that need no secret run; its values are redacted by fingerprints`);
  const { version: node, pid } = process;
  const isHeir = !(await endedCleanly(ledger));
  const started = { version: programVersion(), node, host: hostname(), pid, home: publicIdentity(home) };
  await ledger.append({ type: 'worker.started', data: started });
  await recordSandbox(host, ledger);
  const openRuns = taskGraph().goals.map(({ run }) => run);
  await tidyWitnesses(callsFolder(home), Date.now(), openRuns);
  const earlier = await readEventsSince(home.ledgers.run, Date.now() - RECENT_MS);
  const withdrawals = watchFirstChanges({ earlier, runs: host.engine, onDurable, results });
  const recent = tasksReceivedIn(earlier);
  const inbox = await openInbox({
    ...inboxSettings(host.valuesOf(acceptNeeds), log),
    recent,
    withdraw: withdrawals.withdraw,
  });
  const space = watchDiskSpace(home, { log, onRecovery: () => void (host.stops.seen += 1) });
  const outage = reportRarely(log);
  const unsubscribe = onDurable((events) => {
    for (const { type, data, run } of events) {
      if (type === 'ledger.disk_full') space.ranOut(diskIsFull);
      if (type === 'ledger.damage_found')
        log(
          `event ${data.seq} of the ${data.ledger} ledger is damaged: oka doctor says what to do${pausedList(data.runs)}`,
        );
      if (type === 'wait.opened' && data.for.kind === 'timer' && data.for.why !== undefined) {
        outage(data.for.why);
        if (run !== null) void writeWaitingPage(host, results, run);
      }
      if (type === 'intake.rejected') {
        for (const line of reportOf(data)) log(line);
        if (data.name === 'POLICY.md' || data.name === 'config.json') noteRulesProblem(home, data.reason);
      }
    }
  });
  reportAtStart(home, taskGraph(), models, log);
  schedules.activate(log);
  reaching.activate(log, { desktop });
  void shadow.prune().catch((error: unknown) => log(`undo: ${messageOf(error)}`));
  const endHeartbeat = sendHeartbeats(home.ledgers.run); // not before: until here it takes no task
  const leaving = new AbortController();
  const ends = AbortSignal.any([signal, leaving.signal]);
  try {
    const owed = { pending: results.pending, isHeir };
    await writePendingResults(join(home.workspace, 'outbox'), taskGraph(), owed, results.write).catch(
      (error: unknown) => log(`results: ${messageOf(error)}`),
    );
    await Promise.all([
      takeTasks(host, inbox, { space, checkConfig }, ends, log).finally(() => leaving.abort()),
      workForFleetIfMember(host, ends, log),
    ]);
  } finally {
    endHeartbeat();
    unsubscribe();
    await inbox.close();
    withdrawals.close();
    const reason = signal.aborted ? 'it was stopped' : 'it ended by itself';
    if (ledger.failure === null) await ledger.append({ type: 'worker.stopped', data: { reason } });
  }
}

/** The page of a task says what it waits for. One that has ended meanwhile gets its last page again. */
async function writeWaitingPage({ engine }: Host, results: ResultReports, run: string): Promise<void> {
  await results.write(run);
  const state = await engine.stateOf(run).catch(() => null);
  if (state !== null && isOver(state.status)) await results.write(run);
}

/** A model that is not reachable is reported at once, and then at most every few minutes. */
function reportRarely(log: Log): (why: string) => void {
  let next = 0;
  return (why) => {
    if (performance.now() < next) return;
    next = performance.now() + OUTAGE_EVERY_MS;
    log(`waiting for ${why}`);
  };
}

/** A request, or a change of the rules, that was not accepted: what is wrong, and what is valid meanwhile. */
function reportOf({ name, reason }: { name: string; reason: string }): string[] {
  const [first = '', ...more] = reason.split('\n').slice(0, MOST_LINES);
  return [`${name}: ${first}`, ...more];
}

/** Records how commands are confined from now on. */
async function recordSandbox({ home, config }: Host, ledger: Pick<LedgerPort, 'append'>): Promise<void> {
  const offer = noteSupport(home, await probeKernel((await prepareLauncher()).path));
  const confinement = confinementFor(offer, config.sandbox, 'model');
  const reason =
    confinement.kind === 'jail'
      ? 'the kernel offers it'
      : confinement.kind === 'none'
        ? confinement.warning
        : confinement.reason;
  const kind = confinement.kind === 'jail' ? 'jail' : 'none';
  await ledger.append({ type: 'sandbox.chosen', data: { kind, landlock: offer.landlock, reason } });
}

const pausedList = (runs: readonly string[]): string => (runs.length === 0 ? '' : `; paused: ${runs.join(', ')}`);

/** What a person should know when a worker starts: files that were not accepted, tasks that wait, a model that is gone. */
export function reportAtStart(home: Home, { goals }: TaskGraph, models: Models, log: Log): void {
  const { total, entries } = listRejected(join(home.workspace, 'inbox'), MOST_NAMED);
  for (const { name, reason } of entries) log(`not accepted before: ${name}: ${reason.split('\n', 1)[0]}`);
  if (total > entries.length) log(`not accepted before: ${total - entries.length} more; oka status lists them`);
  const waiting = goals.flatMap(({ waits }) => waits).filter(({ for: { kind } }) => ASKED.has(kind)).length;
  if (waiting > 0) log(`${waiting === 1 ? 'one question waits' : `${waiting} questions wait`} for you: oka status`);
  void probeModel(models, log);
}

/** In the background: nothing waits for it. In containers only the proxy reaches the model, and it is not probed. */
async function probeModel(models: Models, log: Log): Promise<void> {
  try {
    const called = models.called('planner');
    if (called === null || models.isRecorded === true || egressProxy() !== null) return;
    const problem = await connectionProblem(new URL(called.baseUrl));
    if (problem !== null)
      log(
        `the model is not reachable: nothing answers at ${called.baseUrl} (${problem}). Tasks in prose wait for it; oka model test says more`,
      );
  } catch (error) {
    log(`the model cannot be used: ${messageOf(error)}`);
  }
}

/** Null when something accepts connections there. Nothing is sent. */
export function connectionProblem({ hostname, port, protocol }: URL, timeoutMs = PROBE_MS): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const socket = connect({
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port),
  });
  socket.unref();
  socket.setTimeout(timeoutMs, () => resolve(`no connection within ${timeoutMs / 1000} s`));
  socket.once('connect', () => resolve(null));
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  return promise.finally(() => socket.destroy());
}
