/**
 * Owns: selecting the best entries of a ranking.
 *
 * 1. Of equal scores the earlier place is the better one.
 * 2. An entry is scored only where it can be one of the best: in a long history few can.
 */
import type { Corpus } from '../../../kit/learning/corpus.ts';
import { scoreOf, type Scoring } from './ranker.ts';

export type Ranked = { at: number; score: number };

/** The threads that may have the best entries are scored first, so that most of the others can be left out. */
const FIRST_THREADS = 48;
/** Sums of the same numbers in another order differ by less than this. */
const ROUNDING = 1e-9;

/** Which entries are allowed: those with this mark, by place. */
type Allowed = { marks: Uint8Array; mark: number };

export function bestEntries(
  corpus: Corpus,
  scoring: Scoring,
  most: number,
  { marks, mark }: Allowed,
  first = FIRST_THREADS,
): Ranked[] {
  const best = createSelection(most);
  const { lastOfThread, before } = corpus;
  const ofThread = scoring.ofThread.slice();
  for (const { at: thread } of topRanked(scoring.ofThread, first, () => true)) {
    for (let at = lastOfThread[thread] ?? -1; at >= 0; at = before[at] ?? -1)
      if (marks[at] === mark) best.offer(at, scoreOf(corpus, scoring, at));
    ofThread[thread] = -Infinity;
  }
  for (const at of placesAbove(corpus, { ...scoring, ofThread }, best.least, { marks, mark }))
    best.offer(at, scoreOf(corpus, scoring, at));
  return best.ranked();
}

/** The allowed places that may score so much: in most threads there is none. */
function placesAbove(
  { before, lastOfThread, speakers, seconds }: Corpus,
  { own, ofThread, ofSpeaker, reach, time }: Scoring,
  least: number,
  { marks, mark }: Allowed,
): number[] {
  const places: number[] = [];
  for (let thread = 0; thread < reach.length; thread += 1) {
    if ((reach[thread] ?? 0) + (ofThread[thread] ?? 0) + time.score + ROUNDING < least) continue;
    for (let at = lastOfThread[thread] ?? -1; at >= 0; at = before[at] ?? -1) {
      if (marks[at] !== mark) continue;
      const score = (own[at] ?? 0) + (ofThread[thread] ?? 0) + (ofSpeaker[speakers[at] ?? 0] ?? 0) + ROUNDING;
      const second = seconds[at] ?? 0;
      if (score + (second >= time.from && second < time.to ? time.score : 0) >= least) places.push(at);
    }
  }
  return places;
}

/** Returns the best of the allowed places. */
export function topRanked(scores: Float64Array, most: number, isAllowed: (at: number) => boolean): Ranked[] {
  const best = createSelection(most);
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score > best.least && isAllowed(at)) best.offer(at, score);
  }
  return best.ranked();
}

/** Collects in a heap, so that only the best are sorted. `least`: below this, nothing is among them. */
type Selection = { readonly least: number; offer(at: number, score: number): void; ranked(): Ranked[] };

function createSelection(most: number): Selection {
  const heap: Ranked[] = [];
  let least = 0;
  return {
    get least() {
      return least;
    },
    offer: (at, score) => {
      if (score <= 0 || score < least || most === 0) return;
      const added = { at, score };
      if (heap.length < most) siftUp(heap, added);
      else if (heap[0] !== undefined && isWorse(heap[0], added)) replaceWorst(heap, added);
      if (heap.length === most) least = heap[0]?.score ?? 0;
    },
    ranked: () => heap.toSorted((a, b) => b.score - a.score || a.at - b.at),
  };
}

/** Of equal scores the later place is the worse one. */
const isWorse = (a: Ranked, b: Ranked): boolean => a.score < b.score || (a.score === b.score && a.at > b.at);

/** Adds to a heap whose worst entry is first. */
function siftUp(heap: Ranked[], added: Ranked): void {
  let place = heap.push(added) - 1;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    const above = heap[parent] ?? added;
    if (!isWorse(added, above)) break;
    heap[place] = above;
    place = parent;
  }
  heap[place] = added;
}

function replaceWorst(heap: Ranked[], added: Ranked): void {
  let place = 0;
  for (;;) {
    const [left, right] = [heap[2 * place + 1], heap[2 * place + 2]];
    const below = right !== undefined && left !== undefined && isWorse(right, left) ? right : left;
    if (below === undefined || !isWorse(below, added)) break;
    heap[place] = below;
    place = 2 * place + (below === left ? 1 : 2);
  }
  heap[place] = added;
}
