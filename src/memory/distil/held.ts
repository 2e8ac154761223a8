/**
 * Owns: the facts in the book, and the ways to find them that do not look at all of them.
 *
 * 1. Every fact that was ever kept is here with what became of it; only those that hold can be found.
 * 2. Pages that no longer say what is here are touched.
 */
import { touchPage } from '../learning.ts';
import { type FactGiven, STANDING } from '../../schema/memory.ts';
import type { Rows } from '../../schema/rows.ts';
import {
  endFact,
  type FactRow,
  type FactState,
  keepFact,
  type KnownFact,
  rewordFact,
  type WhyForgotten,
} from '../fact-state.ts';
import { rankOf } from './finding.ts';
import { likenessOf } from './likeness.ts';
import { type Subject, subjectKey, subjectOf } from './subject.ts';
import { topicName } from './topic.ts';

export type Why = WhyForgotten;
export type Known = KnownFact;

/** A fact, and what maintenance needs to decide about it. */
export type Held = FactRow & {
  /** What it is about, where a rule knew better than the words. */
  subject: Subject | null;
  /** The last day on which a prompt needed it. */
  used: string;
};

export const heldOf = (book: Rows, id: string): Held | undefined => book.get<Held>(`facts/held/${id}`);

export const isHeld = (held: Held | undefined): held is Held => held?.state.kind === 'valid';

export function keep(book: Rows, given: FactGiven, at: string, subject: Subject | null = null): void {
  for (const id of given.supersedes) if (id !== given.id) leave(book, id, { kind: 'superseded', by: given.id }, at);
  const before = heldOf(book, given.id);
  const row = keepFact(before, given, at);
  const used = isHeld(before) && before.used > dayOf(at) ? before.used : dayOf(at);
  const known = subject ?? (before?.fact.text === given.text ? before.subject : null);
  put(book, { ...row, subject: known, used });
}

export function leave(book: Rows, id: string, state: Exclude<FactState, { kind: 'valid' }>, at: string): void {
  const held = heldOf(book, id);
  if (held === undefined || (held.state.kind !== 'valid' && state.kind === 'superseded')) return;
  put(book, endFact(held, state, at));
  if (state.kind === 'superseded') remember(book, held);
}

export function reword(book: Rows, id: string, text: string): void {
  const held = heldOf(book, id);
  if (held !== undefined) put(book, rewordFact(held, text));
}

/** A prompt needed it. */
export function use(book: Rows, id: string, at: string): void {
  const held = heldOf(book, id);
  if (isHeld(held) && held.used < dayOf(at)) put(book, { ...held, used: dayOf(at) });
}

/** The facts that hold and are about the same, or say the same in nearly the same words. */
export function relatives(book: Rows, text: string, subject: Subject | null): Held[] {
  const ids = new Set<string>();
  if (subject !== null) for (const [key] of book.each(`facts/about/${subjectKey(subject)}/`)) ids.add(lastOf(key));
  for (const [key] of book.each(`facts/like/${likenessOf(text)}/`)) ids.add(lastOf(key));
  return [...ids].toSorted().flatMap((id) => heldOf(book, id) ?? []);
}

export const subjectIn = ({ subject, fact }: Pick<Held, 'subject' | 'fact'>): Subject | null =>
  subject ?? subjectOf(fact.text);

export function* heldUnder(book: Rows, topic: string): Iterable<Held> {
  for (const [key] of book.each(`facts/of/${topic}/`)) {
    const held = heldOf(book, lastOf(key));
    if (held !== undefined) yield held;
  }
}

/** In the order in which their time is over; and those that may be given up, the longest unused first. */
export function* byExpiry(book: Rows): Iterable<{ id: string; at: string }> {
  for (const [key] of book.each('facts/until/')) yield { at: key.split('/')[2] ?? '', id: lastOf(key) };
}
export function* byUse(book: Rows): Iterable<{ id: string; day: string }> {
  for (const [key] of book.each('facts/idle/')) yield { day: key.split('/')[2] ?? '', id: lastOf(key) };
}

const MOST_PAST = 5;

/** Facts of a topic whose place others took, the latest first. */
export function pastUnder(book: Rows, topic: string): Held[] {
  const ids = book.get<string[]>(`facts/past/${topic}`) ?? [];
  return ids
    .flatMap((id) => heldOf(book, id) ?? [])
    .filter(({ state, fact }) => state.kind === 'superseded' && !tookIn(heldOf(book, state.by), fact));
}

/** What rests on the same events says the same in other words. */
const tookIn = (newer: Held | undefined, { evidence }: Known): boolean =>
  newer !== undefined && evidence.every(({ seq }) => newer.fact.evidence.some((each) => each.seq === seq));

function remember(book: Rows, { fact }: Held): void {
  const key = `facts/past/${topicName(fact.namespace)}`;
  const others = (book.get<string[]>(key) ?? []).filter((id) => id !== fact.id);
  book.put(key, [fact.id, ...others].slice(0, MOST_PAST));
}

function put(book: Rows, held: Held): void {
  const before = heldOf(book, held.fact.id);
  if (before !== undefined) for (const key of placesOf(before)) book.put(key, null);
  for (const key of placesOf(held)) book.put(key, true);
  book.put(`facts/held/${held.fact.id}`, held);
  for (const each of [before, held]) if (each !== undefined) touchPage(book, pageOf(each.fact.namespace));
}

/** 1. */
function placesOf(held: Held): string[] {
  if (held.state.kind !== 'valid') return [];
  const { fact, used } = held;
  const subject = subjectIn(held);
  return [
    `facts/of/${topicName(fact.namespace)}/${fact.id}`,
    `facts/like/${likenessOf(fact.text)}/${fact.id}`,
    ...(subject === null ? [] : [`facts/about/${subjectKey(subject)}/${fact.id}`]),
    ...(fact.expires === undefined ? [] : [`facts/until/${new Date(fact.expires).toISOString()}/${fact.id}`]),
    ...(mayGo(fact) ? [`facts/idle/${used}/${fact.id}`] : []),
  ];
}

/** What always holds, and what a person said, is not given up for want of use. */
const mayGo = ({ namespace, source }: Known): boolean => namespace !== STANDING && rankOf(source) < rankOf('person');

export const pageOf = (namespace: string): string => `brain/LEARNINGS-${topicName(namespace)}.md`;
export const dayOf = (at: string): string => at.slice(0, 10);
const lastOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
