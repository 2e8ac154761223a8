/**
 * Owns: questions to what is remembered: facts and what happened in one list, filtered, and cut to a budget.
 *
 * 1. Important facts stand high, and yet at least a third of a list is what happened, if anything did.
 * 2. What is given up, superseded or expired is never given.
 */
import type { Evidence } from '../../schema/memory.ts';
import type { Corpus } from '../index/corpus.ts';
import { evidenceOf, isTrusted, type Item } from '../index/item.ts';
import type { Counter } from '../text/tokens.ts';
import { bestOf, likeliest, type Ranked, scoresFor } from './rank.ts';
import type { Recall } from './recall.ts';

export type Asked = {
  query: string;
  limit: number;
  /** YYYY-MM-DD. */
  day?: string;
  namespace?: string;
  /** A run; what belongs to the same task is found. */
  task?: string;
  /** A run; what belongs to the same task is left out. */
  except?: string;
  only?: 'facts' | 'episodes';
  /** Only what people said: what may shape a plan. */
  trusted?: boolean;
};

export type Found = Pick<
  Item,
  'id' | 'kind' | 'text' | 'who' | 'at' | 'namespace' | 'run' | 'node' | 'part' | 'thread'
> & {
  n: number;
  score: number;
  evidence: readonly Evidence[];
  importance: number | null;
};

export type Answer = { found: Found[]; by: 'keywords' | 'keywords and vectors' };

const MOST_FACTS = 2 / 3;

export function search(recall: Recall, asked: Asked): Promise<Answer> {
  return recall.healing(() => searched(recall, asked));
}

async function searched(recall: Recall, asked: Asked): Promise<Answer> {
  const { query, limit, only } = asked;
  const corpus = recall.corpus.now;
  const able = ableFor(recall, asked);
  const closely = (): number[] => likeliest(corpus, query, able);
  const meaning = await recall.meant.closeness(corpus, query, able, closely);
  const scores = scoresFor(corpus, { text: query, now: recall.options.clock(), meaning });
  weighFacts(recall, scores);
  const those = (wanted: 'facts' | 'episodes'): Ranked[] => {
    if (only !== undefined) return only === wanted ? bestOf(scores, limit, able) : [];
    return bestOf(scores, limit, withFacts(corpus, able, Number(wanted === 'facts')));
  };
  const [facts, happened] = [those('facts'), those('episodes')];
  const found = balanced(facts, happened, limit).flatMap((each) => foundAt(recall, each));
  return { found, by: meaning === null ? 'keywords' : 'keywords and vectors' };
}

/** Those that are facts, or those that are not. */
function withFacts(corpus: Corpus, able: Uint8Array, wanted: number): Uint8Array {
  const both = new Uint8Array(able.length);
  for (let at = 0; at < able.length; at += 1) both[at] = able[at] === 1 && isFact(corpus, at) === wanted ? 1 : 0;
  return both;
}

/** What is important weighs more. */
function weighFacts(recall: Recall, scores: Float64Array): void {
  for (const { n, fact } of recall.facts.values()) scores[n - 1] = (scores[n - 1] ?? 0) * (0.6 + 0.8 * fact.importance);
}

/** 1. */
function balanced(facts: readonly Ranked[], happened: readonly Ranked[], limit: number): Ranked[] {
  const room = Math.max(1, Math.floor(limit * MOST_FACTS), limit - happened.length);
  return [...facts.slice(0, room), ...happened].toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, limit);
}

/** A 1 for each place that may be given. */
function ableFor(recall: Recall, { day, namespace, task, except, only, trusted }: Asked): Uint8Array {
  const { now: corpus } = recall.corpus;
  const from = day === undefined ? 0 : Date.parse(`${day}T00:00:00Z`) / 1000;
  const space = namespace === undefined ? -1 : (corpus.names.namespace.byName.get(namespace) ?? -2);
  const thread = task === undefined ? -1 : threadOf(corpus, task);
  const other = except === undefined ? -1 : threadOf(corpus, except);
  const { expired, untrusted } = hiddenFacts(recall);
  const isAble = (at: number): boolean => {
    if (corpus.gone[at] !== false) return false;
    const second = corpus.seconds[at] ?? 0;
    if (day !== undefined && (second < from || second >= from + 86_400)) return false;
    if (space !== -1 && corpus.namespaces[at] !== space) return false;
    if (thread !== -1 && corpus.threads[at] !== thread) return false;
    if (other >= 0 && corpus.threads[at] === other) return false;
    if (only !== undefined && isFact(corpus, at) !== Number(only === 'facts')) return false;
    if (trusted === true && (untrusted.has(at + 1) || !isTrustedKind(corpus, at))) return false;
    return !expired.has(at + 1);
  };
  const able = new Uint8Array(corpus.size);
  for (let at = 0; at < able.length; at += 1) able[at] = Number(isAble(at));
  return able;
}

const FACT = 1;
const isFact = (corpus: Corpus, at: number): number => Number(corpus.kinds[at] === FACT);
const isTrustedKind = (corpus: Corpus, at: number): boolean => corpus.kinds[at] === FACT || corpus.kinds[at] === 0;

/** The thread that a run belongs to; -2 when nothing is remembered of it. */
function threadOf(corpus: Corpus, run: string): number {
  const number = corpus.names.run.byName.get(run);
  const at = number === undefined ? -1 : corpus.runs.indexOf(number);
  return corpus.names.thread.byName.get(run) ?? (at === -1 ? -2 : (corpus.threads[at] ?? -2));
}

/** 2. */
function hiddenFacts(recall: Recall): { expired: Set<number>; untrusted: Set<number> } {
  const expired = new Set<number>();
  const untrusted = new Set<number>();
  for (const { n, fact } of recall.facts.values()) {
    if (fact.expires !== undefined && Date.parse(fact.expires) <= recall.options.clock()) expired.add(n);
    if (!isTrusted({ kind: 'fact' }, fact)) untrusted.add(n);
  }
  return { expired, untrusted };
}

function foundAt(recall: Recall, { at, score }: Ranked): Found[] {
  const item = recall.shelf.item(at + 1);
  if (item === null) return [];
  const { n, id, kind, text, who, at: moment, namespace, run, node, part, thread } = item;
  const fact = kind === 'fact' ? recall.facts.get(id)?.fact : undefined;
  return [
    {
      n,
      id,
      kind,
      text,
      who,
      at: moment,
      namespace,
      run,
      node,
      part,
      thread,
      score,
      evidence: fact?.evidence ?? [evidenceOf(item)],
      importance: fact?.importance ?? null,
    },
  ];
}

export type Costed = Found & { tokens: number };

/** The best that fit into a budget. A day is named once, with the first piece of it. */
export function within(found: readonly Found[], budget: number, counter: Counter): Costed[] {
  const days = new Set<string>();
  const fitting: Costed[] = [];
  let left = budget;
  for (const each of found) {
    const day = dayOf(each);
    const tokens = counter.count(`${lineOf(each)}\n`) + (days.has(day) ? 0 : counter.count(`${day}\n`));
    if (tokens > left) continue;
    left -= tokens;
    days.add(day);
    fitting.push({ ...each, tokens });
  }
  return fitting;
}

export const dayOf = ({ at }: Pick<Found, 'at'>): string => at.slice(0, 10);
export const lineOf = ({ who, text, kind }: Pick<Found, 'who' | 'text' | 'kind'>): string =>
  kind === 'fact' ? text : `${who}: ${text}`;

/** The pieces before and after a piece in its thread, itself among them; what was given up is left out. */
export function around(recall: Recall, n: number, steps: number): Found[] {
  const { before, after, gone } = recall.corpus.now;
  const places = [n - 1];
  for (let step = 0; step < steps; step += 1) {
    const earlier = before[places[0] ?? -1] ?? -1;
    const later = after[places.at(-1) ?? -1] ?? -1;
    if (earlier >= 0) places.unshift(earlier);
    if (later >= 0) places.push(later);
  }
  return places.filter((at) => gone[at] === false).flatMap((at) => foundAt(recall, { at, score: 0 }));
}

export function daysIn(recall: Recall): { day: string; pieces: number }[] {
  const { seconds, gone, kinds } = recall.corpus.now;
  const days = new Map<number, number>();
  seconds.forEach((second, at) => {
    const day = Math.floor(second / 86_400);
    if (!gone[at] && kinds[at] !== FACT) days.set(day, (days.get(day) ?? 0) + 1);
  });
  return [...days]
    .toSorted(([a], [b]) => b - a)
    .map(([day, pieces]) => ({ day: new Date(day * 86_400_000).toISOString().slice(0, 10), pieces }));
}
