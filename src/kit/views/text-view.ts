/**
 * Owns: the texts of the ledgers that a search finds: titles of runs, and whatever else events say in words.
 * Does not own: texts of facts and procedures, which their own views put (memory/), nor the search (search-query.ts).
 *
 * 1. One text is put for a block of events, when the block is complete: it costs little an event. Whoever finds a block
 *    reads it to see which event it was. What lies behind the last complete block is searched by reading it.
 * 2. What people may have forgotten on purpose is not among them: events about facts are left out.
 */
import { noticeOfRun } from '../../core/schema/chat-names.ts';
import type { Event, Pen } from '../../core/schema/event.ts';
import { memoOf, type Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { BLOCK } from './event-index.ts';
import { seqKey } from './run-rows.ts';

export const textView: View = {
  name: 'text',
  version: 2,
  take: ({ event }, rows) => {
    if (rows.texts === undefined) return;
    const block = Math.floor(event.seq / BLOCK);
    const known = gatheredIn(rows, event.pen);
    const gathered = known.row.block === block ? known : completeBlock(rows, event.pen, known.row, block);
    if (addTexts(gathered, event) || gathered !== known) rows.put(GATHERED[event.pen], gathered.row);
  },
};

/** A run by what a search compares, so that its row is read only when it is found; `first` is its first event. */
export type TitledRun = { run: string; title: string; first: number; started: string };

/** What is in no complete block yet: the events from the first one on, and the runs that started among them. */
export function tailBehindIndex(rows: Rows, pen: Pen): { from: number; runs: readonly TitledRun[] } {
  const { block, runs } = gatheredIn(rows, pen).row;
  return { from: block * BLOCK, runs };
}

/** The runs that started in a block of which a title was found. */
export const runsOfKey = (rows: Rows, key: string): readonly TitledRun[] => rows.get<TitledRun[]>(key) ?? [];

export const titlesPrefix = 'text/run/';
export const eventsPrefix = (pen: Pen): string => `text/event/${pen}/`;

/** The block that a key of either prefix names. */
export const blockOfKey = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1));

/** What these say of a run, a fact or a procedure is found as such. */
const FOUND_OTHERWISE = new Set<string>([
  'run.started',
  'procedure.drafted',
  'fact.kept',
  'fact.reworded',
  'fact.forgotten',
  'message.posted',
]);

/** Messages are found as such, and only while their conversation is there: not in the request or the run they came from. */
function isOfChat({ type, run, data }: Event): boolean {
  return noticeOfRun(run) !== null || (type === 'intake.received' && data.intake.kind === 'chat_post');
}

/** Everything that an event says in words. */
export function textsOf(event: Event): string[] {
  const found: string[] = [];
  if (!FOUND_OTHERWISE.has(event.type) && !isOfChat(event)) collectTexts(event.data, (text) => found.push(text));
  return found;
}

type Gathered = { block: number; runs: TitledRun[]; titles: string[]; texts: string[]; length: number };
/** A block in progress, and all that it has, since the same is said again and again. */
type Known = { row: Gathered; seen: Set<string> };

const GATHERED: Readonly<Record<Pen, string>> = { run: 'text/gathered/run', maintenance: 'text/gathered/maintenance' };
const MOST_IN_BLOCK = 64 * 1024;
const MOST_IN_TEXT = 4000;

function gatheredIn(rows: Rows, pen: Pen): Known {
  const memo = memoOf<Known>(rows, 'text');
  const remembered = memo?.get(pen);
  if (remembered !== undefined) return remembered;
  const row = rows.get<Gathered>(GATHERED[pen]) ?? emptyBlock(0);
  const known = { row, seen: new Set([...row.titles, ...row.texts]) };
  memo?.set(pen, known);
  return known;
}

const emptyBlock = (block: number): Gathered => ({ block, runs: [], titles: [], texts: [], length: 0 });

function completeBlock(rows: Rows, pen: Pen, { block, runs, titles, texts }: Gathered, next: number): Known {
  if (runs.length > 0) {
    rows.put(titlesPrefix + seqKey(block), runs);
    rows.texts?.put(titlesPrefix + seqKey(block), titles.join('\n'));
  }
  if (texts.length > 0) rows.texts?.put(eventsPrefix(pen) + seqKey(block), texts.join('\n'));
  const known = { row: emptyBlock(next), seen: new Set<string>() };
  memoOf<Known>(rows, 'text')?.set(pen, known);
  return known;
}

/** Returns whether there was something new. */
function addTexts(known: Known, event: Event): boolean {
  const { row } = known;
  const [before, runs] = [row.length, row.runs.length];
  if (!FOUND_OTHERWISE.has(event.type)) {
    if (!isOfChat(event)) collectTexts(event.data, (text) => addText(known, row.texts, text));
  } else if (event.type === 'run.started' && event.data.depth === 0 && event.run !== null) {
    row.runs.push({ run: event.run, title: event.data.title, first: event.seq, started: event.at });
    addText(known, row.titles, `${event.data.title}\n${event.run}`);
  }
  return row.length !== before || row.runs.length !== runs;
}

function addText({ row, seen }: Known, list: string[], text: string): void {
  if (seen.has(text) || row.length > MOST_IN_BLOCK) return;
  seen.add(text);
  row.length += text.length;
  list.push(text);
}

/** What is below these names is no prose. */
const NAMES_AND_HASHES = new Set([
  'sha256',
  'hash',
  'fingerprint',
  'integrity',
  'call',
  'wait',
  'node',
  'status',
  'settles',
  'becomes',
  'class',
  'kind',
  'media',
  'arm',
]);

/** Texts in a value, at whatever depth. */
export function collectTexts(value: unknown, add: (text: string) => void): void {
  if (typeof value === 'string') {
    if (value.length > 2) add(value.length > MOST_IN_TEXT ? value.slice(0, MOST_IN_TEXT) : value);
  } else if (Array.isArray(value)) for (const each of value) collectTexts(each, add);
  else if (typeof value === 'object' && value !== null)
    for (const name in value)
      if (!NAMES_AND_HASHES.has(name)) collectTexts((value as Record<string, unknown>)[name], add);
}
