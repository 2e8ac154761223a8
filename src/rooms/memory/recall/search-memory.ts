/**
 * Owns: searching memory: facts and episodes in one list, filtered, and cut to a budget.
 *
 * 1. Important facts rank high, but at least a third of the list is episodes, if there are any.
 * 2. Facts that were forgotten, superseded or have expired are never returned.
 * 3. Ranking reads no text: entries are read one by one, while somebody still wants them.
 */
import type { Evidence } from '../../../core/schema/memory.ts';
import { evidenceOf, type Item, KINDS } from '../../../kit/learning/index-item.ts';
import type { TokenCounter } from '../../../kit/text/tokens.ts';
import { bestEntries, type Ranked } from './best-entries.ts';
import { openScoring, scoreKeywords, scoreOf, type Scoring } from './ranker.ts';
import type { Recall } from './recall.ts';
import { ABLE, ABLE_FACT, type EntryFilter, searchableEntries } from './searchable-entries.ts';

export type SearchRequest = EntryFilter & { query: string; limit: number };

export type Found = Pick<
  Item,
  'id' | 'kind' | 'text' | 'who' | 'at' | 'namespace' | 'run' | 'node' | 'part' | 'thread' | 'own'
> & {
  n: number;
  score: number;
  /** How similar it is to the question by meaning, -1 to 1; null when that was not measured. */
  similarity: number | null;
  evidence: readonly Evidence[];
  importance: number | null;
};

export type SearchAnswer = { found: Found[]; by: 'keywords' | 'keywords and vectors' };

const MAX_FACT_SHARE = 2 / 3;
/** So many entries are read at once: most packs need about a hundred. */
const READ_TOGETHER = 32;

export function search(recall: Recall, asked: SearchRequest): Promise<SearchAnswer> {
  return recall.withRepair(() => openSearch(recall, asked, ({ found, by }) => ({ found: [...found], by })));
}

/** What was found, best first, each read when it is asked for (3). Damage is noticed then: see Recall.withRepair. */
type OpenSearch = { found: Iterable<Found>; by: SearchAnswer['by'] };

export function openSearch<T>(recall: Recall, asked: SearchRequest, use: (opened: OpenSearch) => T): Promise<T> {
  const { limit, only } = asked;
  return rankEntries(recall, asked, (ranking) => {
    if (only !== undefined) return use({ found: ranking.best(only, limit), by: ranking.by });
    const [facts, episodes] = [ranking.places('facts', limit), ranking.places('episodes', limit)];
    return use({ found: ranking.read(balanceResults(facts, episodes, limit)), by: ranking.by });
  });
}

export type Ranking = {
  by: SearchAnswer['by'];
  places(wanted: 'facts' | 'episodes', limit: number): Ranked[];
  read(places: readonly Ranked[]): Iterable<Found>;
  best(wanted: 'facts' | 'episodes', limit: number): Iterable<Found>;
};

/**
 * Ranks everything once, for facts and for episodes. A ranking is used at once and never kept: the next question fills the
 * same arrays, since new ones of this size cost as much as the ranking itself.
 */
export async function rankEntries<T>(
  recall: Recall,
  asked: Omit<SearchRequest, 'limit'>,
  use: (ranking: Ranking) => T,
): Promise<T> {
  const { query } = asked;
  const { semantic } = recall;
  const keywords = (): void => scoreKeywords(recall.corpus.now, query);
  const question = await semantic.readQuestion(recall.corpus.now, query, keywords);
  const corpus = recall.corpus.now;
  const able = searchableEntries(recall, asked);
  const meaning = question === null ? null : semantic.similarities(corpus, question, able);
  const scoring = openScoring(corpus, { text: query, now: recall.options.clock(), meaning });
  const places: Ranking['places'] = (wanted, limit) =>
    wanted === 'facts'
      ? bestFacts(recall, scoring, able, limit)
      : bestEntries(corpus, scoring, limit, { marks: able, mark: ABLE });
  function* read(ranked: readonly Ranked[]): Generator<Found> {
    for (let from = 0; from < ranked.length; from += READ_TOGETHER) {
      const part = ranked.slice(from, from + READ_TOGETHER);
      const items = recall.items.itemsAt(part.map(({ at }) => at + 1));
      for (const { at, score } of part) {
        const item = items.get(at + 1);
        if (item !== undefined) yield toFound(recall, item, { score, similarity: similarityAt(meaning, at) });
      }
    }
  }
  const by = meaning === null ? 'keywords' : 'keywords and vectors';
  return use({ by, places, read, best: (wanted, limit) => read(places(wanted, limit)) });
}

function similarityAt(meaning: Float32Array | null, at: number): number | null {
  const value = meaning?.[at] ?? Number.NaN;
  return Number.isNaN(value) ? null : value;
}

/** Important facts rank high (1). */
function bestFacts(recall: Recall, scoring: Scoring, able: Uint8Array, limit: number): Ranked[] {
  const scored = [...recall.facts.values()].flatMap(({ n, fact }): Ranked[] => {
    const [at, score] = [n - 1, scoreOf(recall.corpus.now, scoring, n - 1) * (0.6 + 0.8 * fact.importance)];
    return able[at] === ABLE_FACT && score > 0 ? [{ at, score }] : [];
  });
  return scored.toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, limit);
}

/** Leaves room for episodes among the facts (1). */
function balanceResults(facts: readonly Ranked[], happened: readonly Ranked[], limit: number): Ranked[] {
  const room = Math.max(1, Math.floor(limit * MAX_FACT_SHARE), limit - happened.length);
  return [...facts.slice(0, room), ...happened].toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, limit);
}

function toFound(recall: Recall, item: Item, ranked: Pick<Found, 'score' | 'similarity'>): Found {
  const { n, id, kind, text, who, at, namespace, run, node, part, thread, own } = item;
  const fact = kind === 'fact' ? recall.facts.get(id)?.fact : undefined;
  return {
    n,
    id,
    kind,
    text,
    who,
    at,
    namespace,
    run,
    node,
    part,
    thread,
    own,
    ...ranked,
    evidence: fact?.evidence ?? [evidenceOf(item)],
    importance: fact?.importance ?? null,
  };
}

type FoundWithCost = Found & { tokens: number };

/** No entry costs less than this. */
const LEAST_TOKENS = 4;
/** After so many in a row that did not fit, the others are not tried. */
const MOST_MISSES = 60;

/**
 * Returns the best results that fit a token budget, and reads no more than that takes (3). A day heading is counted once,
 * with its first result.
 */
export function fitToBudget(found: Iterable<Found>, budget: number, counter: TokenCounter): FoundWithCost[] {
  const days = new Set<string>();
  const fitting: FoundWithCost[] = [];
  let [left, misses] = [budget, 0];
  for (const each of found) {
    const day = dayOf(each);
    const tokens = counter.count(`${formatFound(each)}\n`) + (days.has(day) ? 0 : counter.count(`${day}\n`));
    misses = tokens > left ? misses + 1 : 0;
    if (misses >= MOST_MISSES) break;
    if (tokens > left) continue;
    left -= tokens;
    days.add(day);
    fitting.push({ ...each, tokens });
    if (left < LEAST_TOKENS) break;
  }
  return fitting;
}

export type Retrieved = { items: (Found & { tokens?: number })[]; by: SearchAnswer['by'] };

/** The best results; with a counter, what each costs, and with a budget those that fit. */
export function retrieve(
  recall: Recall,
  asked: SearchRequest,
  { budget, counter }: { budget: number | null; counter: TokenCounter | null },
): Promise<Retrieved> {
  return recall.withRepair(() =>
    openSearch(recall, asked, ({ found, by }) => ({
      by,
      items: counter === null ? [...found] : fitToBudget(found, budget ?? Number.POSITIVE_INFINITY, counter),
    })),
  );
}

export const dayOf = ({ at }: Pick<Found, 'at'>): string => at.slice(0, 10);
export const formatFound = ({ who, text, kind }: Pick<Found, 'who' | 'text' | 'kind'>): string =>
  kind === 'fact' ? text : `${who}: ${text}`;

const FACT = KINDS.indexOf('fact');

export function listDays(recall: Recall): { day: string; pieces: number }[] {
  const { seconds, gone, kinds, size } = recall.corpus.now;
  const days = new Map<number, number>();
  for (let at = 0; at < size; at += 1) {
    const day = Math.floor((seconds[at] ?? 0) / 86_400);
    if (gone[at] === 0 && kinds[at] !== FACT) days.set(day, (days.get(day) ?? 0) + 1);
  }
  return [...days]
    .toSorted(([a], [b]) => b - a)
    .map(([day, pieces]) => ({ day: new Date(day * 86_400_000).toISOString().slice(0, 10), pieces }));
}
