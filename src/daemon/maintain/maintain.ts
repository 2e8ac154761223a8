/**
 * Owns: the second process: it waits for its times, makes a pass at each, and tells what became of it.
 *
 * N1 Each slot that has come is recorded once, when its pass is complete: a crash in between makes the pass again, which
 *    concludes nothing twice.
 * N2 While .oka/STOP is there nothing is done; it ends a pass that is under way.
 * N3 A pass that fails is told, and the next time tries again. The worker never waits for any of it.
 * N4 Settings that a person has changed hold from the next look on.
 * N5 The replica, where one is set, is followed beside it; nothing here waits for that but the end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Times, timesOf } from '../../intake/schedule.ts';
import { readEvents } from '../../ledger/read-events.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import type { Config } from '../../schema/config.ts';
import { watchConfig } from '../home/config-file.ts';
import { isStopped, stopFile } from '../home/stop-files.ts';
import { loadRoomsConfig } from '../room-config.ts';
import type { Home } from '../../schema/home.ts';
import type { Log } from '../log-line.ts';
import { requestTidy } from './request-tidy.ts';
import { openMaintenance, type Maintenance, type Swapped } from './open-maintenance.ts';
import { healing, pass, type Passed, write } from './pass.ts';
import { dueSlots, hasComeAgain, lastSlotOf, type SlotCame, type SlotClock, STOPPED } from '../../intake/slots.ts';
import { maintenanceJobs as jobs } from '../../schema/maintenance.ts';

/** How soon a clock that jumped, changed settings and the stop file are noticed. */
const LOOK_EVERY_MS = 10_000;
const LOOK_FOR_STOP_MS = 250;
/** When not even the ledger can be written. */
const AFTER_TROUBLE_MS = 60_000;
const AT_ONCE = 500;

/** Works until it is told to stop. */
export async function maintain(home: Home, signal: AbortSignal, tell: Log, swapped: Swapped = {}): Promise<void> {
  while (!signal.aborted) {
    const lookAtConfig = watchConfig(home);
    const config = await loadRoomsConfig(home);
    if (config.maintenance.off) {
      tell('maintenance is off in config.json');
      await untilChanged(lookAtConfig, signal, tell);
    } else
      await keeping(home, config, { tell: news(tell), ...swapped }, (m) =>
        beside(
          (stop) => replicatingIn(home, config, stop, tell),
          () => keepTimes(m, lookAtConfig, signal, tell),
          signal,
        ),
      );
  }
}

/** N5. Loaded where it is wanted alone. */
async function replicatingIn(home: Home, config: Config, signal: AbortSignal, tell: Log): Promise<void> {
  try {
    const { replicating } = await import('../network/replicate.ts');
    await replicating(home, config, signal, tell);
  } catch (error) {
    tell(`replication has stopped: ${messageOf(error)}`);
  }
}

/** Lets `other` go on as long as `work` does, and waits for its end. */
async function beside(
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

/** One pass, now. */
export async function maintainOnce(home: Home, signal: AbortSignal, swapped: Swapped = {}): Promise<Passed> {
  if (isStopped(home))
    throw new OkaError('refused', `${stopFile(home)} is there: everything is stopped`, {
      fix: 'Remove the file to go on.',
    });
  const config = await loadRoomsConfig(home);
  return keeping(home, config, swapped, (m) => untilStopped(home, signal, (stop) => pass(m, stop)));
}

async function keeping<T>(
  home: Home,
  config: Config,
  swapped: Swapped,
  work: (m: Maintenance) => Promise<T>,
): Promise<T> {
  const m = await openMaintenance(home, config, swapped);
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
type LookAtConfig = ReturnType<typeof watchConfig>;

async function keepTimes(m: Maintenance, lookAtConfig: LookAtConfig, signal: AbortSignal, tell: Log): Promise<void> {
  const times = timetable(m.config);
  const last = await healing(m, () => lastSlots(m));
  const started = m.clock();
  let checked = started;
  let busy: SlotClock['busy'] = null;
  while (!signal.aborted) {
    const now = m.clock();
    const clock = { now, started, busy, isStopped: isStopped(m.home) };
    const due = jobs.flatMap((job) => dueSlots(job, times[job], { ...clock, last: last.get(job) ?? null }));
    const isAgain = hasComeAgain(times.learn, checked, now, last.get('learn') ?? null) && !clock.isStopped;
    checked = now;
    let pause = LOOK_EVERY_MS;
    if (due.length > 0 || isAgain) {
      const met = await meet(m, due, isAgain, signal, tell);
      busy = { from: now, to: m.clock() };
      if (!(await isRecorded(m, met, last, tell))) pause = AFTER_TROUBLE_MS;
    }
    if (await isChanged(lookAtConfig, tell)) return;
    await rest(Math.min(pause, untilNext(times, checked, m.clock())), signal);
  }
}

/** Does what is due and says what became of it; null when it was told to stop before it was done. */
async function meet(
  m: Maintenance,
  due: readonly SlotCame[],
  isAgain: boolean,
  signal: AbortSignal,
  tell: Log,
): Promise<SlotCame[] | null> {
  const isWorth = ({ how }: SlotCame): boolean => how === 'ran' || (how === 'missed' && m.config.maintenance.catch_up);
  const wanted = due.filter(isWorth);
  if (wanted.length === 0 && !isAgain) return [...due];
  const trouble = await untilStopped(m.home, signal, async (stop) => worked(m, wanted, stop, tell));
  if (signal.aborted) return null;
  return due.map((slot) => (isWorth(slot) ? { ...slot, ...outcomeOf(slot, trouble) } : slot));
}

/** Why it was not done, or null. */
async function worked(
  m: Maintenance,
  wanted: readonly SlotCame[],
  stop: AbortSignal,
  tell: Log,
): Promise<string | null> {
  try {
    const passed = await pass(m, stop);
    if (!passed.isWhole) return STOPPED;
    if (passed.concluded + passed.edits > 0) tell(summaryOf(passed));
    const tidy = wanted.findLast(({ job }) => job === 'tidy');
    if (tidy !== undefined) await requestTidy(m, tidy.slot);
    return null;
  } catch (error) {
    if (isFatal(error)) throw error;
    tell(`a pass failed: ${messageOf(error)}`);
    return messageOf(error);
  }
}

function outcomeOf({ how, reason }: SlotCame, trouble: string | null): Pick<SlotCame, 'how' | 'reason'> {
  if (how === 'missed')
    return { how, reason: `${reason}; ${trouble === null ? 'made up for' : `not made up for: ${short(trouble)}`}` };
  return trouble === null ? { how, reason } : { how: 'skipped', reason: short(trouble) };
}

const short = (text: string): string => text.slice(0, 10_000);

/** N1. False when it could not be recorded: the slots stay due. */
async function isRecorded(
  m: Maintenance,
  met: readonly SlotCame[] | null,
  last: LastSlots,
  tell: Log,
): Promise<boolean> {
  if (met === null || met.length === 0) return true;
  try {
    for (let from = 0; from < met.length; from += AT_ONCE) {
      const some = met.slice(from, from + AT_ONCE);
      await m.append(some.map((data) => ({ type: 'slot.came', data })));
      for (const { job, slot } of some) last.set(job, Math.max(last.get(job) ?? 0, Date.parse(slot)));
    }
    await write(m, []);
    return true;
  } catch (error) {
    if (isFatal(error)) throw error;
    tell(`what became of ${met.length === 1 ? 'a slot' : 'some slots'} could not be recorded: ${messageOf(error)}`);
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

/** Counted from the look before: a time that has come meanwhile is not slept through. */
function untilNext(times: Timetable, checked: number, now: number): number {
  const next = jobs.map(
    (job) => times[job].between(checked, now + LOOK_EVERY_MS).next().value ?? Number.POSITIVE_INFINITY,
  );
  return Math.max(1, Math.min(...next) - now);
}

/** N2. */
async function untilStopped<T>(home: Home, signal: AbortSignal, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const stopped = new AbortController();
  const timer = setInterval(() => isStopped(home) && stopped.abort(), LOOK_FOR_STOP_MS);
  try {
    return await work(AbortSignal.any([signal, stopped.signal]));
  } finally {
    clearInterval(timer);
  }
}

/** The ledger is closed: it has to be opened anew. */
function isFatal(error: unknown): boolean {
  return error instanceof OkaError && ['flush-failed', 'ledger-closed', 'ledger-replaced'].includes(error.code);
}

async function isChanged(look: LookAtConfig, tell: Log): Promise<boolean> {
  const looked = await look();
  if (looked.kind === 'invalid') tell(`config.json: ${looked.reason.split('\n', 1)[0]}`);
  if (looked.kind === 'changed') tell('config.json has changed: the new settings hold');
  return looked.kind === 'changed';
}

async function untilChanged(look: LookAtConfig, signal: AbortSignal, tell: Log): Promise<void> {
  while (!signal.aborted && !(await isChanged(look, tell))) await rest(LOOK_EVERY_MS, signal);
}

/** What is found again at every pass is told once. */
function news(tell: Log): Log {
  const told = new Set<string>();
  return (line) => {
    if (!told.has(line)) tell(line);
    told.add(line);
  };
}

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

export function summaryOf({ events, concluded, edits, pages }: Passed): string {
  const some = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
  return `read ${some(events, 'event')}; wrote ${some(concluded, 'conclusion')}, ${some(edits, 'edit')} of people and ${some(pages, 'page')}`;
}
