/**
 * Owns: a search for words in everything that people look at: runs, open waits, facts, procedures, and events.
 * What is in the ledgers was redacted before it was written, and a forgotten fact is not found.
 *
 * 1. The latest are found first, and a search ends when it has enough other than prompts: its time does not depend on how
 *    long history is. Titles come before results, and these before prompts, which repeat all words of a task.
 * 2. Words that are everywhere, but rarely together, would mean reading all of the ledger: a search reads a bounded
 *    number of blocks of events, and says when it left some out. Runs, facts and procedures are always complete.
 */
import { readEvents } from '../../core/ledger/read-events.ts';
import type { Line, Pen } from '../../core/schema/event.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { hasWords, wordsIn } from '../../core/schema/text-words.ts';
import type { Found, View } from '../../core/schema/view.ts';
import type { SearchAnswer, SearchHit, SearchQuery, Waiting } from '../../core/schema/view-answers.ts';
import { BLOCK } from './event-index.ts';
import { storedRun } from './run-rows.ts';
import {
  blockOfKey,
  collectTexts,
  eventsPrefix,
  runsOfKey,
  textsOf,
  titlesPrefix,
  tailBehindIndex,
  type TitledRun,
} from './text-view.ts';
import { listWaiting } from './waiting-query.ts';

type SearchSources = {
  /** Those whose texts may be found. */
  views: readonly Pick<View, 'name' | 'found'>[];
  ledgers: Readonly<Record<Pen, string>>;
  signal?: AbortSignal;
  /** Reads no events: what has a title of its own is found at once. */
  isWithoutEvents?: boolean;
};

const PENS = ['run', 'maintenance'] as const;
const MOST_BLOCKS = 100;
const MOST_SHOWN = 300;

export async function search(rows: Rows, sources: SearchSources, given: SearchQuery): Promise<SearchAnswer> {
  const { text, limit = 20 } = given;
  const words = wordsIn(text);
  if (words.length === 0) return { hits: [], complete: true };
  const hits = new Map<string, SearchHit>();
  const state = { blocks: 0 };
  let enough = 0;
  for await (const { kind, name, text: all, ...found } of findAll(rows, sources, words, state)) {
    const key = `${kind}/${name}`;
    const hit = { kind, name, text: all.slice(0, MOST_SHOWN), ...found };
    if (!hits.has(key)) {
      hits.set(key, hit);
      if (rankOf(hit) > 0) enough += 1;
    }
    if (enough >= limit || sources.signal?.aborted === true) break;
  }
  const bestLast = [...hits.values()]
    .toReversed()
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return { hits: bestLast.slice(-limit), complete: state.blocks <= MOST_BLOCKS };
}

/** What has the words in its title is better than a result that has them, and that is better than a prompt. */
function rankOf({ kind, text }: Pick<SearchHit, 'kind' | 'text'>): number {
  if (kind !== 'event') return 3;
  if (text.startsWith('call.started:')) return 0;
  return text.startsWith('run.ended:') ? 2 : 1;
}

/** From the latest to the first: what is waited for now, what is in no complete block yet, then all texts. */
async function* findAll(
  rows: Rows,
  sources: SearchSources,
  words: readonly string[],
  state: { blocks: number },
): AsyncGenerator<Found> {
  const waits = listWaiting(rows);
  const isOpenWait = ({ type, data }: Line): boolean =>
    type === 'wait.opened' && waits.some(({ wait }) => wait === data.wait);
  yield* findWaits(waits, words);
  for (const pen of PENS) {
    const { from, runs } = tailBehindIndex(rows, pen);
    yield* findRuns(rows, runs, words);
    if (sources.isWithoutEvents !== true)
      yield* await findEvents(sources.ledgers[pen], { from, to: Number.POSITIVE_INFINITY }, words, isOpenWait);
  }
  for (const key of rows.texts?.find(words) ?? []) {
    const pen = PENS.find((each) => key.startsWith(eventsPrefix(each)));
    if (key.startsWith(titlesPrefix)) yield* findRuns(rows, runsOfKey(rows, key), words);
    else if (pen === undefined) yield* foundBy(sources.views, key, rows);
    else if (sources.isWithoutEvents !== true) {
      state.blocks += 1;
      const from = blockOfKey(key) * BLOCK;
      if (state.blocks <= MOST_BLOCKS)
        yield* await findEvents(sources.ledgers[pen], { from, to: from + BLOCK - 1 }, words, isOpenWait);
    }
  }
}

function* foundBy(views: SearchSources['views'], key: string, rows: Rows): Generator<Found> {
  const found = views.find(({ name }) => key.startsWith(`${name}/`))?.found?.(key, rows) ?? null;
  if (found !== null) yield found;
}

function* findWaits(waits: readonly Waiting[], words: readonly string[]): Generator<Found> {
  for (const { wait, run, opened, title, for: awaited } of waits) {
    const texts = [title];
    collectTexts(awaited, (each) => texts.push(each));
    const text = texts.join(' ');
    if (hasWords(text, words)) yield { kind: 'wait', name: wait, text, at: opened, run, state: 'open' };
  }
}

function* findRuns(rows: Rows, runs: readonly TitledRun[], words: readonly string[]): Generator<Found> {
  for (const { run, title } of runs.toReversed()) {
    const row = hasWords(`${title} ${run}`, words) ? storedRun(rows, run) : undefined;
    if (row === undefined) continue;
    yield { kind: 'run', name: run, text: row.title, at: row.started, run, state: row.status };
  }
}

async function findEvents(
  ledgerFile: string,
  span: { from: number; to: number },
  words: readonly string[],
  isFoundOtherwise: (event: Line) => boolean,
): Promise<Found[]> {
  const found: Found[] = [];
  for await (const event of readEvents(ledgerFile, span)) {
    const texts = isFoundOtherwise(event) ? [] : textsOf(event);
    if (hasWords(texts.join(' '), words)) found.push(foundEvent(event, texts, words));
  }
  return found.toReversed();
}

/** Shows the text that has most of the words. */
function foundEvent({ pen, seq, at, run, type }: Line, texts: readonly string[], words: readonly string[]): Found {
  const score = (text: string): number => words.filter((word) => hasWords(text, [word])).length;
  const best = texts.toSorted((a, b) => score(b) - score(a))[0] ?? '';
  return { kind: 'event', name: `${pen}:${seq}`, text: `${type}: ${best}`, at, run, state: null };
}
