/**
 * Owns: pages of events from the latest to the first, for an explorer: by run, type, words and time.
 *
 * 1. A page reads a bounded number of blocks of events and says where the next one goes on, also when it found nothing.
 */
import { seqAtTime } from '../../core/ledger/raw-lines.ts';
import { readEvents } from '../../core/ledger/read-events.ts';
import { lastSeqOf } from '../../core/ledger/seek.ts';
import type { Line, Pen } from '../../core/schema/event.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { hasWords, wordsIn } from '../../core/schema/text-words.ts';
import { BLOCK } from './event-index.ts';
import { blocksFromEnd, intersect, type Span, spanOfRun } from './events-query.ts';
import { describeEvent } from './event-sentence.ts';
import { blockOfKey, eventsPrefix, tailBehindIndex, titlesPrefix } from './text-view.ts';

type EventsPageQuery = {
  pen: Pen;
  run?: string | undefined;
  /** Such as run.ended, or a kind: run.* */
  type?: string | undefined;
  text?: string | undefined;
  /** Moments in UTC; the first included, the last not. */
  since?: string | undefined;
  until?: string | undefined;
  /** Only events before this one: the next page. */
  before?: number | undefined;
  limit: number;
};

/** The latest event first. `next`: pass it as `before` for the next page; null when there is nothing more. */
type EventsPage = { events: Line[]; next: number | null };

const MOST_BLOCKS = 60;

export async function pageOfEvents(
  rows: Rows,
  ledgers: Readonly<Record<Pen, string>>,
  query: EventsPageQuery,
  signal?: AbortSignal,
): Promise<EventsPage> {
  const file = ledgers[query.pen];
  const within = await spanOf(rows, file, query);
  const words = wordsIn(query.text ?? '');
  const events: Line[] = [];
  let blocks = 0;
  for (const block of candidateBlocks(rows, query, within, words)) {
    const span = intersect(within, { from: block * BLOCK, to: block * BLOCK + BLOCK - 1 });
    if (span.to < within.from) break;
    if (span.from > span.to) continue;
    if (blocks >= MOST_BLOCKS || signal?.aborted === true) return { events, next: span.to + 1 };
    blocks += 1;
    events.push(...(await eventsIn(file, span, query, words)).toReversed());
    if (events.length > query.limit || (events.length === query.limit && span.from > within.from))
      return { events: events.slice(0, query.limit), next: events[query.limit - 1]?.seq ?? null };
  }
  return { events, next: null };
}

async function spanOf(rows: Rows, file: string, { pen, run, since, until, before }: EventsPageQuery): Promise<Span> {
  const last = lastSeqOf(file);
  const from = since === undefined ? 1 : await seqAtTime(file, since);
  const to = Math.min(
    last,
    (before ?? Number.POSITIVE_INFINITY) - 1,
    until === undefined ? last : (await seqAtTime(file, until)) - 1,
  );
  return pen === 'run' && run !== undefined ? intersect({ from, to }, spanOfRun(rows, run)) : { from, to };
}

async function eventsIn(
  file: string,
  span: Span,
  { run, type }: EventsPageQuery,
  words: readonly string[],
): Promise<Line[]> {
  const found: Line[] = [];
  const filter = {
    ...(run === undefined ? {} : { run }),
    ...(type === undefined ? {} : { type: type as `${string}.*` }),
  };
  for await (const event of readEvents(file, { ...filter, ...span }))
    if (words.length === 0 || hasWords(searchedText(event), words)) found.push(event);
  return found;
}

/** All that an event says, as stored and as a sentence. */
const searchedText = (event: Line): string =>
  `${event.type} ${event.run ?? ''} ${describeEvent(event)} ${JSON.stringify(event.data)}`;

/** Where to read, from the end: words are found by their index where it knows them, else by reading. */
function candidateBlocks(
  rows: Rows,
  { pen, run, type }: EventsPageQuery,
  within: Span,
  words: readonly string[],
): Iterable<number> {
  const isByRun = pen === 'run' && run !== undefined;
  const indexed = words.length > 0 && !isByRun && type === undefined ? blocksWithWords(rows, pen, within, words) : null;
  return indexed ?? blocksFromEnd(rows, { pen, run, type }, within);
}

function* blocksWithWords(rows: Rows, pen: Pen, within: Span, words: readonly string[]): Generator<number> {
  const tail = Math.floor(tailBehindIndex(rows, pen).from / BLOCK);
  for (let block = Math.floor(within.to / BLOCK); block >= tail; block -= 1) yield block;
  let last = tail;
  for (const key of rows.texts?.find(words) ?? []) {
    if (!key.startsWith(eventsPrefix(pen)) && !(pen === 'run' && key.startsWith(titlesPrefix))) continue;
    const block = blockOfKey(key);
    if (block < last) yield block;
    last = Math.min(last, block);
  }
}
