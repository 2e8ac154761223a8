/**
 * Owns: what the book keeps of a day (UTC), and which days a new event makes untrue.
 *
 * 1. A day keeps numbers, and the first things of every kind in full: how much it keeps is bounded.
 * 2. The last day is that of the last event, never that of a clock; a day becomes old when a later one comes.
 */
import { touchPage } from '../learning.ts';
import type { Event } from '../../schema/event.ts';
import type { Rows } from '../../schema/rows.ts';

export type Counts = Readonly<Record<string, number>>;

export const MOST: Readonly<Record<Kind, number>> = {
  task: 50,
  word: 30,
  tool: 20,
  fact: 20,
  procedure: 20,
  trouble: 10,
};

export type TaskTold = {
  run: string;
  title: string;
  status: 'done' | 'failed' | 'cancelled';
  seconds: number | null;
  reason: string;
  rework: number;
};
export type WordTold =
  | { kind: 'approved' | 'denied' | 'answered'; run: string | null; text: string; answer: string }
  | { kind: 'corrected' | 'undone' | 'stopped'; run: string | null; text: string };
export type ToolTold = {
  kind: 'installed' | 'removed' | 'asked' | 'brought';
  name: string;
  version: string;
  why: string;
};
export type FactTold = { text: string; namespace: string; source: string };
export type MoveTold = { procedure: string; to: string; reason: string; isForced: boolean };

/** What is told one by one. */
export type Told = {
  task: TaskTold;
  word: WordTold;
  tool: ToolTold;
  fact: FactTold;
  procedure: MoveTold;
  /** A host that could not be reached. */
  trouble: string;
};
export type Kind = keyof Told;

export const dayOf = (at: string): string => at.slice(0, 10);
export const pageOfDay = (day: string): string => `memory/${day}.md`;
export const dayOfPage = (page: string): string | null => /^memory\/(\d{4}-\d\d-\d\d)\.md$/.exec(page)?.[1] ?? null;

export const countsOf = (book: Rows, day: string): Counts | undefined => book.get<Counts>(`day/${day}`);

/** Adds to the numbers of the day of an event. */
export function add(book: Rows, { at }: Pick<Event, 'at'>, more: Counts): void {
  const day = dayOf(at);
  const counts: Record<string, number> = { ...countsOf(book, day) };
  for (const [name, amount] of Object.entries(more)) counts[name] = (counts[name] ?? 0) + amount;
  book.put(`day/${day}`, counts);
  touchPage(book, pageOfDay(day));
}

/** Keeps a thing in full, while there is room. */
export function note<K extends Kind>(book: Rows, { at, seq, pen }: Event, kind: K, what: Told[K]): void {
  const day = dayOf(at);
  const noted = (countsOf(book, day)?.[`noted ${kind}`] ?? 0) + 1;
  add(book, { at }, { [`noted ${kind}`]: 1 });
  if (noted > MOST[kind]) return;
  const order = `${String(seq).padStart(12, '0')}${pen === 'run' ? '' : 'm'}`;
  book.put(`day-of/${kind}/${day}/${order}`, what);
}

export function notedOn<K extends Kind>(book: Rows, day: string, kind: K): Told[K][] {
  return [...book.each<Told[K]>(`day-of/${kind}/${day}/`)].map(([, what]) => what);
}

/** How many there were beyond those that are told. */
export const beyond = (counts: Counts, kind: Kind): number => Math.max(0, (counts[`noted ${kind}`] ?? 0) - MOST[kind]);

/** 2. Touches the days that have become old. */
export function goOn(book: Rows, { at }: Event, compactDays: number | null): void {
  const [day, last] = [dayOf(at), lastDay(book)];
  if (last !== null && day <= last) return;
  book.put('days/last', day);
  if (compactDays === null || last === null) return;
  const [from, to] = [before(last, compactDays), before(day, compactDays)];
  for (const [key] of book.each(`day/${sharedStart(from, to)}`)) {
    const each = key.slice(4);
    if (each >= from && each < to) touchPage(book, pageOfDay(each));
  }
}

/** Days that a page from `from` to `to` has in common at its beginning, so that not every day is looked at. */
function sharedStart(from: string, to: string): string {
  let length = 0;
  while (length < from.length && from[length] === to[length]) length += 1;
  return from.slice(0, length);
}

const lastDay = (book: Rows): string | null => book.get<string>('days/last') ?? null;

export function isOld(book: Rows, day: string, compactDays: number | null): boolean {
  const last = lastDay(book);
  return compactDays !== null && last !== null && day < before(last, compactDays);
}

const before = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) - days * 86_400_000).toISOString().slice(0, 10);
