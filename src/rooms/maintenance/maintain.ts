/**
 * Owns: the maintenance process: it waits for its scheduled times, makes a pass at each, and records the outcome.
 *
 * N1 Each slot that has come is recorded once, when its pass is complete: a crash in between makes the pass again, which
 *    concludes nothing twice.
 * N2 While .oka/STOP is there nothing is done; it ends a pass that is in progress.
 * N3 A pass that fails is logged and tried again at the next scheduled time. The worker never waits for any of it.
 * N4 Settings that a person has changed apply from the next check on.
 * N5 What rooms do beside the passes, such as updating a replica, is done in the background; only the end of the process
 *    waits for it.
 */
import { type Times, timesOf } from '../../kit/schedule/utc-cron-times.ts';
import { readEvents } from '../../core/ledger/read-events.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Config } from '../../core/schema/config.ts';
import { watchConfig } from '../../kit/home/config-file.ts';
import { describeStop, isStopped } from '../../kit/home/stop-files.ts';
import { roomsOf } from '../../kit/house/house.ts';
import { loadRoomsConfig } from '../../kit/house/room-config.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Log } from '../../kit/log-line.ts';
import { requestTidy } from './request-tidy.ts';
import { openMaintenance, type Maintenance, type MaintenanceOverrides } from './open-maintenance.ts';
import { withRepairedRows, runPass, type PassResult, appendAndFold } from './pass.ts';
import {
  dueSlots,
  hasComeAgain,
  lastSlotOf,
  type SlotCame,
  type SlotClock,
  STOPPED,
} from '../../kit/schedule/slots.ts';
import { maintenanceJobs as jobs } from '../../core/schema/maintenance.ts';
import { pause } from '../../kit/pause.ts';

/** How soon a clock that jumped, changed settings and the stop file are noticed. */
const POLL_MS = 10_000;
const STOP_POLL_MS = 250;
/** When not even the ledger can be written. */
const AFTER_FAILURE_MS = 60_000;
const AT_ONCE = 500;

/** Works until the signal. */
export async function maintain(
  home: Home,
  signal: AbortSignal,
  log: Log,
  overrides: MaintenanceOverrides = {},
): Promise<void> {
  while (!signal.aborted) {
    const checkConfig = watchConfig(home, overrides.rooms);
    const config = await loadRoomsConfig(home, overrides.rooms);
    if (config.maintenance.off) {
      log('maintenance is off in config.json');
      await untilChanged(checkConfig, signal, log);
    } else
      await withMaintenance(home, config, { log: logOnce(log), ...overrides }, (m) =>
        withBackground(
          (stop) => workBeside(home, config, stop, log, overrides.rooms),
          () => runSchedule(m, checkConfig, signal, log),
          signal,
        ),
      );
  }
}

/** N5. What rooms do beside the passes. */
async function workBeside(
  home: Home,
  config: Config,
  signal: AbortSignal,
  log: Log,
  rooms: MaintenanceOverrides['rooms'],
): Promise<void> {
  const work = (await roomsOf(rooms)).map(async ({ name, maintained }) => {
    try {
      await (await maintained?.())?.beside(home, config, signal, log);
    } catch (error) {
      log(`${name} has stopped: ${messageOf(error)}`);
    }
  });
  await Promise.all(work);
}

/** Runs `other` as long as `work` runs, and waits for its end. */
async function withBackground(
  other: (stop: AbortSignal) => Promise<void>,
  work: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const ended = other(AbortSignal.any([signal, over.signal]));
  try {
    await work();
  } finally {
    over.abort();
    await ended;
  }
}

/** One pass, now; and what is pending for the replica is sent, or the news say why not. */
export async function maintainOnce(
  home: Home,
  signal: AbortSignal,
  overrides: MaintenanceOverrides = {},
): Promise<PassResult> {
  if (isStopped(home)) {
    const { why, fix } = describeStop(home);
    throw new OkaError('refused', `${why}: everything is stopped`, { fix });
  }
  const config = await loadRoomsConfig(home, overrides.rooms);
  const passed = await withMaintenance(home, config, overrides, (m) =>
    untilStopped(home, signal, (stop) => runPass(m, stop)),
  );
  const news = await untilStopped(home, signal, (stop) => workBehind(home, config, stop, overrides.rooms));
  return { ...passed, news: [...passed.news, ...news] };
}

async function workBehind(
  home: Home,
  config: Config,
  signal: AbortSignal,
  rooms: MaintenanceOverrides['rooms'],
): Promise<string[]> {
  const news: string[] = [];
  for (const { maintained } of await roomsOf(rooms)) {
    const line = await (await maintained?.())?.after(home, config, signal);
    if (line != null) news.push(line);
  }
  return news;
}

async function withMaintenance<T>(
  home: Home,
  config: Config,
  overrides: MaintenanceOverrides,
  work: (m: Maintenance) => Promise<T>,
): Promise<T> {
  const m = await openMaintenance(home, config, overrides);
  try {
    return await work(m);
  } finally {
    await m.close();
  }
}

type Job = (typeof jobs)[number];
type Timetable = Readonly<Record<Job, Times>>;
/** The last slot of each job that was recorded. */
type LastSlots = Map<string, number | null>;
type CheckConfig = ReturnType<typeof watchConfig>;

async function runSchedule(m: Maintenance, checkConfig: CheckConfig, signal: AbortSignal, log: Log): Promise<void> {
  const times = timetable(m.config);
  const last = await withRepairedRows(m, () => lastSlots(m));
  const started = m.clock();
  let checked = started;
  let busy: SlotClock['busy'] = null;
  while (!signal.aborted) {
    const now = m.clock();
    const clock = { now, started, busy, isStopped: isStopped(m.home) };
    const due = jobs.flatMap((job) => dueSlots(job, times[job], { ...clock, last: last.get(job) ?? null }));
    const isAgain = hasComeAgain(times.learn, checked, now, last.get('learn') ?? null) && !clock.isStopped;
    checked = now;
    let wait = POLL_MS;
    if (due.length > 0 || isAgain) {
      const outcomes = await doDueSlots(m, due, isAgain, signal, log);
      busy = { from: now, to: m.clock() };
      if (!(await isRecorded(m, outcomes, last, log))) wait = AFTER_FAILURE_MS;
    }
    if (await isChanged(checkConfig, log)) return;
    await pause(Math.min(wait, untilNext(times, checked, m.clock())), signal);
  }
}

/** Does what is due and returns the outcomes; null when it was stopped before that was done. */
async function doDueSlots(
  m: Maintenance,
  due: readonly SlotCame[],
  isAgain: boolean,
  signal: AbortSignal,
  log: Log,
): Promise<SlotCame[] | null> {
  const isWorth = ({ how }: SlotCame): boolean => how === 'ran' || (how === 'missed' && m.config.maintenance.catch_up);
  const wanted = due.filter(isWorth);
  if (wanted.length === 0 && !isAgain) return [...due];
  const failure = await untilStopped(m.home, signal, async (stop) => runDuePass(m, wanted, stop, log));
  if (signal.aborted) return null;
  return due.map((slot) => (isWorth(slot) ? { ...slot, ...outcomeOf(slot, failure) } : slot));
}

/** Why it was not done, or null. */
async function runDuePass(
  m: Maintenance,
  wanted: readonly SlotCame[],
  stop: AbortSignal,
  log: Log,
): Promise<string | null> {
  try {
    const passed = await runPass(m, stop);
    if (!passed.isWhole) return STOPPED;
    if (passed.concluded + passed.edits > 0) log(summaryOf(passed));
    for (const line of passed.news) log(line);
    const tidy = wanted.findLast(({ job }) => job === 'tidy');
    if (tidy !== undefined) await requestTidy(m, tidy.slot);
    return null;
  } catch (error) {
    if (isFatal(error)) throw error;
    log(`a pass failed: ${messageOf(error)}`);
    return messageOf(error);
  }
}

function outcomeOf({ how, reason }: SlotCame, failure: string | null): Pick<SlotCame, 'how' | 'reason'> {
  if (how === 'missed')
    return { how, reason: `${reason}; ${failure === null ? 'made up for' : `not made up for: ${short(failure)}`}` };
  return failure === null ? { how, reason } : { how: 'skipped', reason: short(failure) };
}

const short = (text: string): string => text.slice(0, 10_000);

/** N1. False when it could not be recorded: the slots stay due. */
async function isRecorded(
  m: Maintenance,
  outcomes: readonly SlotCame[] | null,
  last: LastSlots,
  log: Log,
): Promise<boolean> {
  if (outcomes === null || outcomes.length === 0) return true;
  try {
    for (let from = 0; from < outcomes.length; from += AT_ONCE) {
      const some = outcomes.slice(from, from + AT_ONCE);
      await m.append(some.map((data) => ({ type: 'slot.came', data })));
      for (const { job, slot } of some) last.set(job, Math.max(last.get(job) ?? 0, Date.parse(slot)));
    }
    await appendAndFold(m, []);
    return true;
  } catch (error) {
    if (isFatal(error)) throw error;
    log(
      `the outcome of ${outcomes.length === 1 ? 'a scheduled time' : 'some scheduled times'} could not be recorded: ${messageOf(error)}`,
    );
    return false;
  }
}

/** What was recorded may not be folded yet. */
async function lastSlots(m: Maintenance): Promise<LastSlots> {
  const last: LastSlots = new Map(jobs.map((job) => [job, lastSlotOf(m.store, job)]));
  const from = m.store.cursor('maintenance').seq + 1;
  for await (const { type, data } of readEvents(m.home.ledgers.maintenance, { from, type: 'slot.came' }))
    if (type === 'slot.came') last.set(data.job, Math.max(last.get(data.job) ?? 0, Date.parse(data.slot)));
  return last;
}

function timetable({ maintenance: { slots } }: Config): Timetable {
  return {
    learn: timesOf(slots.learn, 'maintenance.slots.learn'),
    tidy: timesOf(slots.tidy, 'maintenance.slots.tidy'),
  };
}

/** Counted from the last check, so that a time that has come meanwhile is not missed. */
function untilNext(times: Timetable, checked: number, now: number): number {
  const next = jobs.map((job) => times[job].between(checked, now + POLL_MS).next().value ?? Number.POSITIVE_INFINITY);
  return Math.max(1, Math.min(...next) - now);
}

/** Aborts the work when .oka/STOP appears (N2). */
async function untilStopped<T>(home: Home, signal: AbortSignal, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const stopped = new AbortController();
  const timer = setInterval(() => isStopped(home) && stopped.abort(), STOP_POLL_MS);
  try {
    return await work(AbortSignal.any([signal, stopped.signal]));
  } finally {
    clearInterval(timer);
  }
}

/** The ledger is closed and has to be opened again. */
function isFatal(error: unknown): boolean {
  return error instanceof OkaError && ['flush-failed', 'ledger-closed', 'ledger-replaced'].includes(error.code);
}

async function isChanged(check: CheckConfig, log: Log): Promise<boolean> {
  const change = await check();
  if (change.kind === 'invalid') log(`config.json: ${change.reason.split('\n', 1)[0]}`);
  if (change.kind === 'changed') log('config.json has changed: the new settings apply');
  return change.kind === 'changed';
}

async function untilChanged(check: CheckConfig, signal: AbortSignal, log: Log): Promise<void> {
  while (!signal.aborted && !(await isChanged(check, log))) await pause(POLL_MS, signal);
}

/** A line that every pass would log is logged once. */
function logOnce(log: Log): Log {
  const logged = new Set<string>();
  return (line) => {
    if (!logged.has(line)) log(line);
    logged.add(line);
  };
}

export function summaryOf({ events, concluded, edits, pages }: PassResult): string {
  const some = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
  const yours = edits === 0 ? '' : `; took over ${some(edits, 'edit')} of yours`;
  return `read ${some(events, 'event')}; wrote ${some(concluded, 'conclusion')} and ${some(pages, 'page')}${yours}`;
}
