/**
 * Owns: the rows of facts in maintenance's store, and the index keys to find them.
 *
 * 1. Every fact ever stored has a row with its state; only valid facts have index keys.
 * 2. A change marks the page of its topic as outdated.
 */
import { markPageErased, markPageOutdated } from '../../../kit/learning/learning.ts';
import { type FactGiven, STANDING } from '../../../core/schema/memory.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import {
  endFact,
  type FactRow,
  type FactState,
  applyFact,
  type KnownFact,
  rewordFact,
  type WhyForgotten,
} from '../fact-state.ts';
import { sourceRank } from './fact-finding.ts';
import { similarityKey } from './similarity-key.ts';
import { areContradictory, deedKey, type Subject, subjectKey, parseSubject } from './fact-subject.ts';
import { topicName } from './fact-topic.ts';

export type Why = WhyForgotten;
type Known = KnownFact;

/** A fact, and what maintenance needs to decide about it. */
export type StoredFact = FactRow & {
  /** Its subject, when a rule knew it better than the text shows. */
  subject: Subject | null;
  /** The last day on which a prompt needed it. */
  used: string;
};

export const findFact = (rows: Rows, id: string): StoredFact | undefined => rows.get<StoredFact>(`facts/held/${id}`);

export const isValid = (found: StoredFact | undefined): found is StoredFact => found?.state.kind === 'valid';

export function storeFact(rows: Rows, given: FactGiven, at: string, subject: Subject | null = null): void {
  for (const id of given.supersedes)
    if (id !== given.id) endFactState(rows, id, { kind: 'superseded', by: given.id }, at);
  const before = findFact(rows, given.id);
  const row = applyFact(before, given, at);
  const used = isValid(before) && before.used > dayOf(at) ? before.used : dayOf(at);
  const known = subject ?? (before?.fact.text === given.text ? before.subject : null);
  putFact(rows, { ...row, subject: known, used });
}

export function endFactState(rows: Rows, id: string, state: Exclude<FactState, { kind: 'valid' }>, at: string): void {
  const found = findFact(rows, id);
  if (found === undefined || (found.state.kind !== 'valid' && state.kind === 'superseded')) return;
  putFact(rows, endFact(found, state, at));
  if (state.kind === 'superseded') rememberSuperseded(rows, found);
}

export function rewordStored(rows: Rows, id: string, text: string): void {
  const found = findFact(rows, id);
  if (found !== undefined) putFact(rows, rewordFact(found, text));
}

/** Records that a prompt used the fact. */
export function markUsed(rows: Rows, id: string, at: string): void {
  const found = findFact(rows, id);
  if (isValid(found) && found.used < dayOf(at)) putFact(rows, { ...found, used: dayOf(at) });
}

/** The valid facts with the same subject or nearly the same wording. */
export function findRelatedFacts(rows: Rows, text: string, subject: Subject | null): StoredFact[] {
  const ids = new Set<string>();
  if (subject !== null) for (const [key] of rows.each(`facts/about/${subjectKey(subject)}/`)) ids.add(lastSegment(key));
  const deed = subject === null ? null : deedKey(subject);
  if (subject !== null && deed !== null)
    for (const [key] of rows.each(`facts/deed/${deed}/`)) {
      const found = findFact(rows, lastSegment(key));
      const other = found === undefined ? null : subjectOfFact(found);
      if (other !== null && areContradictory(subject, other)) ids.add(lastSegment(key));
    }
  for (const [key] of rows.each(`facts/like/${similarityKey(text)}/`)) ids.add(lastSegment(key));
  return [...ids].toSorted().flatMap((id) => findFact(rows, id) ?? []);
}

export const subjectOfFact = ({ subject, fact }: Pick<StoredFact, 'subject' | 'fact'>): Subject | null =>
  subject ?? parseSubject(fact.text);

export function* factsUnder(rows: Rows, topic: string): Iterable<StoredFact> {
  for (const [key] of rows.each(`facts/of/${topic}/`)) {
    const found = findFact(rows, lastSegment(key));
    if (found !== undefined) yield found;
  }
}

/** Facts in the order in which they expire, and facts that may be dropped, the longest unused first. */
export function* factsByExpiry(rows: Rows): Iterable<{ id: string; at: string }> {
  for (const [key] of rows.each('facts/until/')) yield { at: key.split('/')[2] ?? '', id: lastSegment(key) };
}
export function* factsByUse(rows: Rows): Iterable<{ id: string; day: string }> {
  for (const [key] of rows.each('facts/idle/')) yield { day: key.split('/')[2] ?? '', id: lastSegment(key) };
}

const MAX_SUPERSEDED = 5;

/** Superseded facts of a topic, the latest first. */
export function supersededUnder(rows: Rows, topic: string): StoredFact[] {
  const ids = rows.get<string[]>(`facts/past/${topic}`) ?? [];
  return ids
    .flatMap((id) => findFact(rows, id) ?? [])
    .filter(({ state, fact }) => state.kind === 'superseded' && !absorbedBy(findFact(rows, state.by), fact));
}

/** A newer fact with the same evidence only rewords the older one. */
const absorbedBy = (newer: StoredFact | undefined, { evidence }: Known): boolean =>
  newer !== undefined && evidence.every(({ seq }) => newer.fact.evidence.some((each) => each.seq === seq));

function rememberSuperseded(rows: Rows, { fact }: StoredFact): void {
  const key = `facts/past/${topicName(fact.namespace)}`;
  const others = (rows.get<string[]>(key) ?? []).filter((id) => id !== fact.id);
  rows.put(key, [fact.id, ...others].slice(0, MAX_SUPERSEDED));
}

function putFact(rows: Rows, found: StoredFact): void {
  const before = findFact(rows, found.fact.id);
  if (before !== undefined) for (const key of indexKeys(before)) rows.put(key, null);
  for (const key of indexKeys(found)) rows.put(key, true);
  rows.put(`facts/held/${found.fact.id}`, found);
  const mark = found.fact.text === '' ? markPageErased : markPageOutdated;
  for (const each of [before, found]) if (each !== undefined) mark(rows, learningsPageName(each.fact.namespace));
}

/** The index keys of a valid fact (1). */
function indexKeys(found: StoredFact): string[] {
  if (found.state.kind !== 'valid') return [];
  const { fact, used } = found;
  const subject = subjectOfFact(found);
  return [
    `facts/of/${topicName(fact.namespace)}/${fact.id}`,
    `facts/like/${similarityKey(fact.text)}/${fact.id}`,
    ...(subject === null ? [] : [`facts/about/${subjectKey(subject)}/${fact.id}`]),
    ...(subject === null || deedKey(subject) === null ? [] : [`facts/deed/${deedKey(subject)}/${fact.id}`]),
    ...(fact.expires === undefined ? [] : [`facts/until/${new Date(fact.expires).toISOString()}/${fact.id}`]),
    ...(canExpireUnused(fact) ? [`facts/idle/${used}/${fact.id}`] : []),
  ];
}

/** Standing instructions and what a person said are never dropped for lack of use. */
const canExpireUnused = ({ namespace, source }: Known): boolean =>
  namespace !== STANDING && sourceRank(source) < sourceRank('person');

const learningsPageName = (namespace: string): string => `brain/LEARNINGS-${topicName(namespace)}.md`;
export const dayOf = (at: string): string => at.slice(0, 10);
const lastSegment = (key: string): string => key.slice(key.lastIndexOf('/') + 1);
