/** What an observer sees in the ledger and in the world while no process runs. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '../../src/core/schema/event.ts';
import { effectsFile, HARMFUL, namesOf, type Phase, placeOf } from './engine-kill-work.ts';

type Started = Extract<Event, { type: 'call.started' }>['data'];

export type Sight = {
  dir: string;
  /** How far the ledger and the notes have been read. */
  read: { ledger: number; notes: number };
  events: Event[];
  started: Map<string, Started>;
  ended: Set<string>;
  /** The last call of each node (run.node). */
  last: Map<string, string>;
  /** Whether each run is over. */
  runs: Map<string, boolean>;
  notes: Record<Phase, Map<string, { tool: string; times: number }>>;
};

/** Where a kill can hit a call: in the order of a call's life. */
export const POSITIONS = [
  'intent, not begun',
  'begun, no effect',
  'effect, not returned',
  'returned, no outcome',
] as const;
export type Position = (typeof POSITIONS)[number];

export function sightOf(dir: string): Sight {
  return {
    dir,
    read: { ledger: 0, notes: 0 },
    events: [],
    started: new Map(),
    ended: new Set(),
    last: new Map(),
    runs: new Map(),
    notes: { began: new Map(), early: new Map(), effect: new Map(), returned: new Map() },
  };
}

/** Reads what has come since; returns the events. */
export function lookAgain(sight: Sight): Event[] {
  const lines = newLines(join(sight.dir, '.oka', 'run_ledger.jsonl'), sight.read, 'ledger');
  const events = lines.map((line) => JSON.parse(line) as Event);
  for (const event of events) takeIn(sight, event);
  for (const line of newLines(effectsFile(sight.dir), sight.read, 'notes')) {
    const [phase = '', call = '', , tool = ''] = line.split(' ');
    const notes = sight.notes[phase as Phase];
    notes.set(call, { tool, times: (notes.get(call)?.times ?? 0) + 1 });
  }
  return events;
}

function takeIn(sight: Sight, event: Event): void {
  if (event.seq !== sight.events.length + 1) throw new Error(`seq ${event.seq} follows ${sight.events.length}`);
  sight.events.push(event);
  if (event.type === 'run.started') sight.runs.set(event.run ?? '', false);
  if (event.type === 'run.ended') sight.runs.set(event.run ?? '', true);
  if (event.type === 'call.ended' && event.data.status !== 'cancelled') sight.ended.add(event.data.call);
  if (event.type !== 'call.started') return;
  sight.started.set(event.data.call, event.data);
  sight.last.set(placeOf(event.data.call).node, event.data.call);
}

/** Whole lines only: the rest of a torn one is cut off by whoever opens the ledger next. */
function newLines(file: string, read: Sight['read'], which: keyof Sight['read']): string[] {
  if (!existsSync(file) && read[which] === 0) return [];
  const fd = openSync(file, 'r');
  try {
    const { size } = fstatSync(fd);
    if (size < read[which]) throw new Error(`${file} has lost ${read[which] - size} bytes that stood there before`);
    const bytes = Buffer.alloc(size - read[which]);
    readSync(fd, bytes, 0, bytes.length, read[which]);
    const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
    read[which] += whole.length;
    return whole.toString('utf8').split('\n').slice(0, -1);
  } finally {
    closeSync(fd);
  }
}

export function isUnderWay(sight: Sight): boolean {
  return [...sight.runs.values()].includes(false);
}

/** The first round that is not over. */
export function roundOf(sight: Sight): number {
  let round = 1;
  while (namesOf(round).every(({ run }) => sight.runs.get(run))) round += 1;
  return round;
}

/** Nodes whose last call has no outcome and had its effect. */
export function happenedIn(sight: Sight): string[] {
  return [...sight.last].flatMap(([node, call]) =>
    !sight.ended.has(call) && sight.notes.effect.has(call) ? [node] : [],
  );
}

/** Where each of these calls was when the kill came; those with an outcome are left out. */
export function positionsOf(sight: Sight, events: readonly Event[]): Position[] {
  const { began, effect, returned } = sight.notes;
  return events.flatMap((event): Position[] => {
    if (event.type !== 'call.started' || sight.ended.has(event.data.call)) return [];
    const { call } = event.data;
    if (returned.has(call)) return ['returned, no outcome'];
    if (effect.has(call)) return ['effect, not returned'];
    return [began.has(call) ? 'begun, no effect' : 'intent, not begun'];
  });
}

/** Calls that were reached before their intent was on disk, or that left no intent at all. Only a read may do so. */
export function unannouncedIn({ notes, started }: Sight): { calls: string[]; reads: string[] } {
  const found = [...notes.began].filter(([call]) => notes.early.has(call) || !started.has(call));
  const named = (isRead: boolean): string[] =>
    found.flatMap(([call, { tool }]) => (isRead === (tool === 'count.read') ? [call] : []));
  return { calls: named(false), reads: named(true) };
}

/** What is wrong with what happened, seen from the end; empty when all is well. */
export function faultsIn(sight: Sight): string[] {
  return [...faultsOfRuns(sight), ...faultsOfCalls(sight), ...faultsOfEffects(sight), ...faultsOfVisits(sight)];
}

function faultsOfRuns({ events }: Sight): string[] {
  const ends = new Map<string | null, string[]>();
  for (const event of events) {
    if (event.type === 'run.started') ends.set(event.run, [...(ends.get(event.run) ?? []), 'started']);
    if (event.type === 'run.ended') ends.get(event.run)?.push(event.data.status);
  }
  return [...ends].flatMap(([run, all]) =>
    all.join(' ') === 'started done' ? [] : [`${run} went like this: ${all.join(', ')}`],
  );
}

/**
 * Intents are written once, outcomes once and behind them, and nothing harmful is tried again unasked. An outcome that
 * only says `cancelled` leaves the call in doubt.
 */
function faultsOfCalls({ events }: Sight): string[] {
  const faults: string[] = [];
  const state = new Map<string, 'open' | 'ended' | 'repeat'>();
  const latest = new Map<string, string>();
  const outcomes = new Set<string>();
  for (const event of events) {
    if (event.type === 'call.started') {
      const { call, tool } = event.data;
      const { visit } = placeOf(call);
      const before = latest.get(visit);
      if (state.has(call)) faults.push(`${call} was started twice`);
      if (before !== undefined && HARMFUL.has(tool) && state.get(before) === 'open')
        faults.push(`${call} (${tool}) follows ${before}, which is in doubt, and nobody was asked`);
      state.set(call, 'open');
      latest.set(visit, call);
    } else if (event.type === 'call.ended') {
      const { call, status } = event.data;
      outcomes.add(call);
      if (status === 'cancelled') continue;
      if (state.get(call) !== 'open') faults.push(`${call} ended when it was ${state.get(call) ?? 'not started'}`);
      state.set(call, 'ended');
    } else if (event.type === 'wait.closed' && event.data.answer.text === 'repeat') {
      const before = latest.get(placeOf(event.data.wait).visit);
      if (before === undefined || state.get(before) !== 'open') faults.push(`${event.data.wait} asked about nothing`);
      else state.set(before, 'repeat');
    }
  }
  for (const call of state.keys()) if (!outcomes.has(call)) faults.push(`${call} never got an outcome`);
  return faults;
}

/** Every effect has an intent, and an outcome or an answer in place of it; what is harmless may have been repeated. */
function faultsOfEffects(sight: Sight): string[] {
  const seenByPerson = new Set(
    sight.events.flatMap((event) =>
      event.type === 'wait.closed' && event.data.answer.text === 'done' ? [placeOf(event.data.wait).visit] : [],
    ),
  );
  return [...sight.notes.effect].flatMap(([call, { tool, times }]) => {
    const faults: string[] = [];
    if (!sight.started.has(call)) faults.push(`${call} (${tool}) had an effect without an intent`);
    if (HARMFUL.has(tool) && times > 1) faults.push(`${call} (${tool}) had its effect ${times} times`);
    const accounted =
      sight.ended.has(call) || (HARMFUL.has(tool) ? seenByPerson.has(placeOf(call).visit) : wasRepeated(sight, call));
    if (!accounted) faults.push(`${call} (${tool}) had an effect and no outcome`);
    return faults;
  });
}

function wasRepeated({ started }: Sight, call: string): boolean {
  const attempt = started.get(call)?.attempt ?? 0;
  return started.has(`${placeOf(call).visit}.${attempt + 1}`);
}

/** Whoever checks before answering gets exactly one effect for every visit of a node, whatever is killed when. */
function faultsOfVisits(sight: Sight): string[] {
  const effects = new Map<string, number>();
  for (const { call, tool } of sight.started.values()) {
    const { visit } = placeOf(call);
    if (HARMFUL.has(tool)) effects.set(visit, (effects.get(visit) ?? 0) + (sight.notes.effect.get(call)?.times ?? 0));
  }
  return [...effects].flatMap(([visit, times]) =>
    times === 1 ? [] : [`${visit} had ${times} effects instead of one`],
  );
}
