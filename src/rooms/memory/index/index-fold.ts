/**
 * Owns: the fold from the events of both ledgers to the memory index: items, facts, and what providers count as tokens.
 * Does not own: which events become items (index-entries.ts), the state of a fact (fact-view.ts), where it is stored.
 */
import type { FoldStore } from '../../../core/ledger/fold-store.ts';
import type { Fold } from '../../../core/ledger/follower.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Fact } from '../../../core/schema/memory.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { factsIn, factView, shownFact, storedFact } from '../fact-view.ts';
import { dateInWords, extractTerms } from '../../../kit/text/terms.ts';
import { createTokenCounter, modelFamily } from '../../../kit/text/tokens.ts';
import type { TemporaryValues } from './entry-parts.ts';
import { bodyEntries, extractEntries } from './index-entries.ts';
import { type IndexEntry, isOperatorsFact } from '../../../kit/learning/index-item.ts';
import { ITEM_TABLES, ItemTable } from './item-table.ts';

/** Raised whenever entries, terms or tables change: the index is then built again. */
const VERSION = 8;

export const INDEX_SHAPE = {
  version: `memory-index@${VERSION} ${factView.name}@${factView.version}`,
  tables: ITEM_TABLES,
  cacheKb: 4000, // with more, neither indexing nor a pack is faster
};

export type IndexFold = Fold & {
  /** Called before each batch: loads the token counter when the batch needs it, and begins a new list of what is gone. */
  prepare(events: readonly Event[]): Promise<void>;
  /** The items that are gone because of the last batch. */
  readonly gone: readonly number[];
};

type TokenCounter = Awaited<ReturnType<typeof createTokenCounter>>;

export function createIndexFold(store: FoldStore): IndexFold {
  const items = new ItemTable(store);
  let gone: number[] = [];
  let counter: TokenCounter | null = null;
  return {
    get gone() {
      return gone;
    },
    prepare: async (events) => {
      gone = [];
      if (counter === null && events.some(isPrompt)) counter = await createTokenCounter('openai');
    },
    wants: (event) =>
      (event.type === 'task.received' || event.type === 'message.posted') && event.data.body !== undefined
        ? [event.data.body.sha256]
        : [],
    take: ({ event, text }, rows) => {
      if (counter !== null && isPrompt(event)) countPrompt(event, rows, counter);
      if (event.type === 'call.ended') noteReportedTokens(event, rows);
      if (factsIn(event).length > 0) gone.push(...takeFacts(event, rows, items));
      else gone.push(...takeEntries(event, text, rows, items));
    },
  };
}

/** The item of a fact, or 0 when it never had one. */
export const itemOfFact = (rows: Rows, id: string): number => rows.get<number>(`fact-item/${id}`) ?? 0;

/** The most tokens that a provider of this family reported for one of ours. */
export const reportedTokens = (rows: Rows, family: string): number => rows.get<number>(`index/reported ${family}`) ?? 0;

function addItem(items: ItemTable, entry: IndexEntry): { n: number | null; replaced: number[] } {
  const added = items.add(entry, extractTerms(`${entry.context} ${entry.text}`).join(' '));
  return { n: added?.n ?? null, replaced: added?.replaced ?? [] };
}

/** Returns the items that are gone because of it. */
function takeEntries(event: Event, text: (sha256: string) => string | null, rows: Rows, items: ItemTable): number[] {
  const values: TemporaryValues = {
    get: (key) => rows.get<string>(`index/${key}`) ?? null,
    put: (key, value) => rows.put(`index/${key}`, value),
  };
  const { entries, body, removes } = extractEntries(event, values);
  const stored = body === undefined ? null : text(body.sha256);
  const all = body === undefined || stored === null ? entries : bodyEntries(body.entry, stored);
  return [
    ...(removes === undefined ? [] : items.removeBetween(removes.from, removes.to)),
    ...all.flatMap((entry) => addItem(items, entry).replaced),
  ];
}

/** Returns the items that are gone because of it. */
function takeFacts(event: Event, rows: Rows, items: ItemTable): number[] {
  const before = new Map(factsIn(event).map((id) => [id, JSON.stringify(storedFact(rows, id))]));
  factView.take({ event, text: () => null }, rows);
  return [...before].flatMap(([id, row]) =>
    JSON.stringify(storedFact(rows, id)) === row ? [] : updateFactItem(event, id, rows, items),
  );
}

/** Only a valid fact can be found. */
function updateFactItem(event: Event, id: string, rows: Rows, items: ItemTable): number[] {
  const row = storedFact(rows, id);
  const shown = row === undefined ? null : shownFact(row);
  if (shown !== null && shown.superseded_by === undefined) {
    const { n, replaced } = addItem(items, factEntry(event, shown));
    if (n !== null) rows.put(`fact-item/${id}`, n);
    return replaced;
  }
  const n = itemOfFact(rows, id);
  if (n === 0 || items.isGone(n)) return [];
  items.remove(n);
  return [n];
}

function factEntry(event: Event, fact: Pick<Fact, 'id' | 'namespace' | 'text' | 'source'>): IndexEntry {
  const { id, namespace, text, source } = fact;
  return {
    key: `fact ${id}`,
    id,
    kind: 'fact',
    who: source,
    at: event.at,
    thread: `fact ${id}`,
    run: event.run,
    node: null,
    namespace,
    pen: event.pen,
    seq: event.seq,
    part: 0,
    own: Number(isOperatorsFact({ id, source })),
    text,
    context: `${namespace} ${dateInWords(event.at)}`,
  };
}

/** Small prompts say little about a vocabulary. */
const LEAST_ASKED = 200;

/** Counting takes milliseconds: after the first prompts only some are counted. */
const COUNTED_FIRST = 50;
const COUNTED_THEN = 16;

const ASKED = 'index/asked';

type CallStarted = Extract<Event, { type: 'call.started' }>;

const isPrompt = (event: Event): event is CallStarted =>
  event.type === 'call.started' && event.data.tool === 'model.complete';

function countPrompt({ seq, data }: CallStarted, rows: Rows, counter: TokenCounter): void {
  if ((rows.get<number>(ASKED) ?? 0) >= COUNTED_FIRST && seq % COUNTED_THEN !== 0) return;
  rows.put(`${ASKED} ${data.call}`, counter.count(JSON.stringify(data.input)));
}

/** A provider that counts more than we do is believed from then on. */
function noteReportedTokens({ data }: Extract<Event, { type: 'call.ended' }>, rows: Rows): void {
  const asked = rows.get<number>(`${ASKED} ${data.call}`) ?? 0;
  if (asked === 0) return;
  rows.put(`${ASKED} ${data.call}`, null);
  rows.put(ASKED, (rows.get<number>(ASKED) ?? 0) + 1);
  const { model } = (data.output ?? {}) as { model?: unknown };
  const reported = (data.usage?.tokens_in ?? 0) / asked;
  if (asked < LEAST_ASKED || typeof model !== 'string') return;
  const family = modelFamily(model);
  if (reported > reportedTokens(rows, family)) rows.put(`index/reported ${family}`, reported);
}
