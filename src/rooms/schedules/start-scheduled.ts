/**
 * Owns: starting the runs that the times of schedules have made, and moving a task that comes again out of the inbox.
 *
 * 1. A run is made of the file as it is when it starts. What cannot be read is rejected with the reason, by name.
 * 2. Unless overlap is allowed, a run waits for the earlier ones of its schedule; with `cancel` these are cancelled.
 */
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Claimed } from '../../kit/inbox/claim-task.ts';
import { knownTasks } from '../../kit/inbox/known-tasks.ts';
import { Vanished } from '../../kit/inbox/plain-file.ts';
import { readScheduleFile, type ScheduleFile } from '../../kit/schedule/schedule-file.ts';
import { jobOf, type Schedules, type ScheduleState } from '../../kit/schedule/schedule-state.ts';
import { replaceFile } from '../../core/ledger/disk.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import { graphFile, loadRunnableGraph } from '../../kit/graphs/graph-files.ts';
import { saveVersionOfRun } from '../../kit/graphs/save-version.ts';
import type { Host } from '../../kit/house/host.ts';
import type { Log } from '../../kit/log-line.ts';
import { nodeKinds } from '../../kit/house/room-contributions.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { setAside } from './schedule-requests.ts';
import { accept, acceptNeeds } from '../../kit/inbox/accept.ts';

/** A run that has begun. */
type StartedRun = { run: string; title: string };

type PendingRun = { run: string; schedule: string; slot: string };

const versionPorts = { ledger: ports.ledger, projections: ports.projections, artifacts: ports.artifacts };
const SUPERSEDED = 'the next run of its schedule is due, and the schedule says overlap: cancel';

/** The oldest run that may start now, and the runs that have to be cancelled before others may. */
export function nextScheduledRun({ runs, byId }: Schedules): { next: PendingRun | null; toCancel: string[] } {
  const all = Object.entries(runs);
  const started = new Map(all.flatMap(([run, each]) => (each.isStarted ? [[each.schedule, run] as const] : [])));
  const toCancel = new Set<string>();
  let next: PendingRun | null = null;
  for (const [run, { schedule, slot, isStarted }] of all) {
    if (isStarted) continue;
    const overlap = byId[schedule]?.spec.overlap ?? 'queue';
    const earlier = started.get(schedule);
    if (earlier === undefined || overlap === 'allow') next ??= { run, schedule, slot };
    else if (overlap === 'cancel') toCancel.add(earlier);
  }
  return { next, toCancel: [...toCancel] };
}

/** Null when nothing may start now. What has started is in the ledger. */
export async function startScheduled(host: Host, log: Log): Promise<StartedRun | null> {
  const { schedules } = host.valuesOf({ schedules: ports.schedules });
  await cancelSuperseded(host);
  const { next } = nextScheduledRun(schedules.state());
  if (next === null) return null;
  const state = schedules.state().byId[next.schedule];
  const mayStart = await mayStartHere(host, next, state);
  if (mayStart !== true) return null;
  try {
    if (state === undefined) throw new OkaError('refused', 'its schedule was removed before it could start');
    return await startFile(host, next, state, readNow(schedules.folder, state));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    log(`scheduled run ${next.run} did not start: ${messageOf(error).split('\n', 1)[0] ?? ''}`);
    await reject(host, next, state?.name ?? next.schedule, messageOf(error));
    return null;
  }
}

const ELSEWHERE = 'another member of the fleet has taken it over';

/** In a fleet each time runs once. Null: the servers do not answer, so that nobody knows yet. */
async function mayStartHere(
  { valuesOf }: Host,
  { run, schedule, slot }: PendingRun,
  state: ScheduleState | undefined,
): Promise<boolean | null> {
  const { fleet, schedules } = valuesOf({ fleet: ports.fleet, schedules: ports.schedules });
  if (fleet === null || state === undefined) return true;
  try {
    if (await fleet.slots.mayStart({ run, schedule, slot }, state)) return true;
  } catch (error) {
    if (error instanceof OkaError && error.code === 'fleet-down') return null;
    throw error;
  }
  const data = { job: jobOf(schedule), slot, how: 'skipped', reason: ELSEWHERE } as const;
  await schedules.append([{ type: 'slot.came', data }]);
  return false;
}

/** Cancels runs whose schedule wants the next one instead (`overlap: cancel`); also while no further run could start. */
export async function cancelSuperseded(host: Host): Promise<void> {
  const { schedules } = host.valuesOf({ schedules: ports.schedules });
  for (const run of nextScheduledRun(schedules.state()).toCancel) await cancel(host, run);
}

const isRefusal = (error: unknown): boolean =>
  error instanceof OkaError && ['refused', 'usage', 'invalid-graph', 'invalid-file'].includes(error.code);

function readNow(folder: string, { name }: ScheduleState): ScheduleFile {
  try {
    const file = readScheduleFile(join(folder, name), name);
    if (file.kind !== 'problem') return file;
    throw new OkaError('refused', `its file cannot be read: ${file.reason}`);
  } catch (error) {
    throw error instanceof Vanished ? new OkaError('refused', 'its file is gone') : error;
  }
}

async function startFile(
  host: Host,
  next: PendingRun,
  state: ScheduleState,
  file: ScheduleFile,
): Promise<StartedRun | null> {
  const { projections, schedules } = host.valuesOf({ projections: ports.projections, schedules: ports.schedules });
  const { name } = state;
  if (file.kind === 'graph') {
    const { graph, text } = loadRunnableGraph(graphFile(host.home, file.graph.graph), await nodeKinds());
    const { title } = file;
    const input = file.graph.input ?? {};
    const run = await host.backend.start({ kind: 'start', run: next.run, graph, title, input });
    await saveVersionOfRun(host.valuesOf(versionPorts), graph.id, text);
    return { run, title };
  }
  const { content } = file;
  const folder = content.isFolder ? join(schedules.folder, name) : null;
  const known = projections.stateOf(knownTasks).ids.includes(next.run);
  const claimed: Claimed = { ...content, id: next.run, name, by: 'schedule', known, folder };
  const run = await accept(host.valuesOf(acceptNeeds), claimed);
  return run === null ? null : { run, title: claimed.title };
}

async function reject(host: Host, { run }: PendingRun, name: string, reason: string): Promise<void> {
  const { ledger } = host.valuesOf({ ledger: ports.ledger });
  await ledger.append({ type: 'task.rejected', run, data: { name: name.slice(0, 1000), kept: null, reason } });
}

async function cancel({ backend }: Host, run: string): Promise<void> {
  try {
    await backend.signal(run, { kind: 'cancel', reason: SUPERSEDED });
  } catch (error) {
    if (!(error instanceof OkaError) || error.code !== 'run-is-over') throw error; // it ended meanwhile
  }
}

/** Moves a task that comes again into workspace/schedules; when it resolves, it is in the ledger. */
export async function storeSchedule(host: Host, claimed: Claimed): Promise<null> {
  const { schedules } = host.valuesOf({ schedules: ports.schedules });
  const { name, bytes, folder } = claimed;
  const target = join(schedules.folder, name);
  mkdirSync(schedules.folder, { recursive: true });
  if (!isSameFile(target, claimed)) {
    setAside(schedules.folder, name);
    if (folder === null) replaceFile(target, bytes, { durable: true });
    else copyFolder(folder, target, join(schedules.folder, `.${claimed.id}`));
  }
  await schedules.readFiles();
  return null;
}

function isSameFile(target: string, { name, digest }: Claimed): boolean {
  if (!existsSync(target)) return false;
  const there = readScheduleFile(target, name);
  return there.sha256 === digest;
}

function copyFolder(from: string, to: string, temporary: string): void {
  rmSync(temporary, { recursive: true, force: true });
  cpSync(from, temporary, { recursive: true, verbatimSymlinks: true });
  renameSync(temporary, to);
}
