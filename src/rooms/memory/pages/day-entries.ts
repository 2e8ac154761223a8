/**
 * Owns: what is stored for a day (UTC), and which day pages a new event makes outdated.
 *
 * 1. A day stores counts, and the first entries of each kind in full, so its size is bounded.
 * 2. The last day is that of the last event, never that of a clock; older days are compacted when a later one begins.
 */
import { markPageErased, markPageOutdated } from '../../../kit/learning/learning.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Rows } from '../../../core/schema/rows.ts';

export type Counts = Readonly<Record<string, number>>;

const MAX_ENTRIES: Readonly<Record<DayEntryKind, number>> = {
  task: 50,
  word: 30,
  tool: 20,
  fact: 20,
  procedure: 20,
  trouble: 10,
};

export type TaskEntry = {
  run: string;
  title: string;
  status: 'done' | 'failed' | 'cancelled';
  seconds: number | null;
  reason: string;
  rework: number;
};
export type DecisionEntry =
  | { kind: 'approved' | 'denied' | 'answered'; run: string | null; text: string; answer: string }
  | { kind: 'corrected' | 'undone' | 'stopped'; run: string | null; text: string };
export type ToolEntry = {
  kind: 'installed' | 'removed' | 'asked' | 'brought';
  name: string;
  version: string;
  why: string;
};
export type FactEntry = { id: string; text: string; namespace: string; source: string };
export type MoveEntry = {
  procedure: string;
  to: string;
  reason: string;
  isForced: boolean;
  /** Set when it became a habit: what is done without planning from now on. */
  habit?: string;
};

/** What is listed one by one. */
export type DayEntries = {
  task: TaskEntry;
  word: DecisionEntry;
  tool: ToolEntry;
  fact: FactEntry;
  procedure: MoveEntry;
  /** A host that could not be reached. */
  trouble: string;
};
export type DayEntryKind = keyof DayEntries;

const dayOf = (at: string): string => at.slice(0, 10);
export const dayPageName = (day: string): string => `memory/${day}.md`;
export const dayOfPageName = (page: string): string | null => /^memory\/(\d{4}-\d\d-\d\d)\.md$/.exec(page)?.[1] ?? null;

export const dayCounts = (rows: Rows, day: string): Counts | undefined => rows.get<Counts>(`day/${day}`);

/** Adds to the counts of the event's day. */
export function addCounts(rows: Rows, { at }: Pick<Event, 'at'>, more: Counts): void {
  const day = dayOf(at);
  const counts: Record<string, number> = { ...dayCounts(rows, day) };
  for (const [name, amount] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + amount;
  rows.put(`day/${day}`, counts);
  markPageOutdated(rows, dayPageName(day));
}

/** Stores an entry in full while there is room. */
export function addEntry<K extends DayEntryKind>(
  rows: Rows,
  { at, seq, pen }: Event,
  kind: K,
  what: DayEntries[K],
): void {
  const day = dayOf(at);
  const noted = (dayCounts(rows, day)?.[`noted ${kind}`] ?? 0) + 1;
  addCounts(rows, { at }, { [`noted ${kind}`]: 1 });
  if (noted > MAX_ENTRIES[kind]) return;
  const order = `${String(seq).padStart(12, '0')}${pen === 'run' ? '' : 'm'}`;
  rows.put(`day-of/${kind}/${day}/${order}`, what);
}

/** Removes the facts that a person does not want to be read any more, from every day. */
export function eraseFacts(rows: Rows, ids: readonly string[]): void {
  for (const [key, { id }] of Array.from(rows.each<FactEntry>('day-of/fact/'))) {
    if (!ids.includes(id)) continue;
    rows.put(key, null);
    markPageErased(rows, dayPageName(key.split('/')[2] ?? ''));
  }
}

export function entriesOn<K extends DayEntryKind>(rows: Rows, day: string, kind: K): DayEntries[K][] {
  return [...rows.each<DayEntries[K]>(`day-of/${kind}/${day}/`)].map(([, what]) => what);
}

/** The number of entries that are not listed. */
export const countOmitted = (counts: Counts, kind: DayEntryKind): number =>
  Math.max(0, (counts[`noted ${kind}`] ?? 0) - MAX_ENTRIES[kind]);

/** Marks the pages of days that have become old enough to be compacted (2). */
export function advanceDay(rows: Rows, { at }: Event, compactDays: number | null): void {
  const [day, last] = [dayOf(at), lastDay(rows)];
  if (last !== null && day <= last) return;
  rows.put('days/last', day);
  if (compactDays === null || last === null) return;
  const [from, to] = [daysBefore(last, compactDays), daysBefore(day, compactDays)];
  for (const [key] of rows.each(`day/${commonPrefix(from, to)}`)) {
    const each = key.slice(4);
    if (each >= from && each < to) markPageOutdated(rows, dayPageName(each));
  }
}

/** The common prefix of two dates, so that not every day is read. */
function commonPrefix(from: string, to: string): string {
  let length = 0;
  while (length < from.length && from[length] === to[length]) length += 1;
  return from.slice(0, length);
}

const lastDay = (rows: Rows): string | null => rows.get<string>('days/last') ?? null;

export function isCompact(rows: Rows, day: string, compactDays: number | null): boolean {
  const last = lastDay(rows);
  return compactDays !== null && last !== null && day < daysBefore(last, compactDays);
}

const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
