/**
 * Owns: one pass of maintenance: read new events, draw conclusions, rewrite outdated pages.
 *
 * M1 What is concluded is in the ledger before anything is built on it; a pass that dies anywhere is made up for by the
 *    next one, and one more pass after that concludes nothing (B2).
 * M2 What a person wrote on a page is in the ledger before the page is replaced.
 * M3 The cost depends on what is new.
 * M4 When stopped, it ends after the current batch.
 * M5 What people request by editing a page is submitted to the worker, under a name that makes a second request harmless.
 */
import { newHabit } from '../../kit/learning/habit-notice.ts';
import { join } from 'node:path';
import { submit } from '../../kit/requests/submit-request.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { catchUp, withRepair } from '../../core/ledger/follower.ts';
import type { Page, Part } from '../../core/schema/learning-part.ts';
import { isPageErased, outdatedPages, markPageWritten } from '../../kit/learning/learning.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { Maintenance } from './open-maintenance.ts';
import type { PageEdit } from '../../kit/learning/page-text.ts';

export type PassResult = {
  events: number;
  concluded: number;
  edits: number;
  pages: number;
  isWhole: boolean;
  /** What a person should know at once, a sentence each: what is done without planning from now on. */
  news: string[];
};

/** A part that never stops concluding is broken: folding a conclusion has to remove the reason for it. */
const MOST_ROUNDS = 20;
/** How often a page is tried again when a person saves it while it is being replaced. */
const MOST_TRIES = 5;
const AT_ONCE = 256;

export async function runPass(m: Maintenance, signal: AbortSignal, { isConcluding = true } = {}): Promise<PassResult> {
  return withRepairedRows(m, () => passOnce(m, signal, isConcluding));
}

/** Rows that are damaged, or do not fit the ledgers, are folded again, once. */
export function withRepairedRows<T>(m: Maintenance, work: () => Promise<T>): Promise<T> {
  return withRepair({ reset: m.restart }, work);
}

async function passOnce(m: Maintenance, signal: AbortSignal, isConcluding: boolean): Promise<PassResult> {
  const now = new Date(m.clock()).toISOString();
  const events = await readNewEvents(m, signal);
  const done: PassResult = { events, concluded: 0, edits: 0, pages: 0, isWhole: false, news: [] };
  if (signal.aborted) return done;
  done.edits += await recordEdits(m, await m.pages.scan((page) => renderPage(m, page)));
  submitRequests(m);
  if (isConcluding) Object.assign(done, await conclude(m, now, signal));
  if (signal.aborted) return done;
  done.pages = (await writePages(m, signal, done)).length;
  done.isWhole = !signal.aborted;
  if (done.isWhole) m.store.setNote('passed', now);
  m.store.setNote('position', m.ledger.end);
  return done;
}

/** Reads to the end of both ledgers. */
export async function readNewEvents(m: Maintenance, signal: AbortSignal): Promise<number> {
  return catchUp(m.store, m.sources, { durable: true, signal });
}

/** M1. The parts see these events from their next conclusion on. */
export async function appendAndFold(m: Maintenance, events: readonly NewEvent[]): Promise<void> {
  await m.append(events);
  await catchUp(m.store, m.sources, { to: m.store.cursor('run').seq, missingCause: 'refuse' });
}

async function conclude(
  m: Maintenance,
  now: string,
  signal: AbortSignal,
): Promise<Pick<PassResult, 'concluded' | 'news'>> {
  const concluded: NewEvent[] = [];
  for (let round = 1; !signal.aborted; round += 1) {
    const before = concluded.length;
    for (const part of m.parts) {
      const events = part.conclude?.(readOnly(m.store), { now, read: m.store.cursor('run').seq }) ?? [];
      if (events.length > 0) await appendAndFold(m, events);
      concluded.push(...events);
      if (events.length > 0 && round === MOST_ROUNDS) throw endlessConclusions(part);
    }
    if (concluded.length === before) break;
  }
  const improved = await improve(m, concluded);
  return { concluded: concluded.length + improved, news: concluded.flatMap((event) => newHabit(m.store, event)) };
}

async function improve(m: Maintenance, concluded: readonly NewEvent[]): Promise<number> {
  const { home, config, store, clock, log } = m;
  const write = (events: readonly NewEvent[]): Promise<void> => appendAndFold(m, events);
  let improved = 0;
  for (const part of m.parts)
    improved +=
      (await part.improve?.(concluded, { home, config, rows: store, clock, last: m.ledger.end.seq, write, log })) ?? 0;
  return improved;
}

/** Records edits before their pages are replaced (M2). */
async function recordEdits(m: Maintenance, edits: readonly PageEdit[]): Promise<number> {
  if (edits.length === 0) return 0;
  await appendAndFold(
    m,
    edits.map((data): NewEvent => ({ type: 'page.edited', data })),
  );
  return edits.length;
}

/** M5. A request that the worker has not taken yet stays as it is. */
function submitRequests(m: Maintenance): void {
  const folder = join(m.home.oka, 'intake');
  for (const part of m.parts)
    for (const { id, intake } of part.requests?.(m.store) ?? [])
      if (lstatIfPresent(join(folder, `${id}.json`)) === undefined) submit(folder, intake, id);
}

/** Returns the pages that were made. */
export async function writePages(m: Maintenance, signal: AbortSignal, done = { edits: 0 }): Promise<string[]> {
  const made: string[] = [];
  const next = (): string[] => outdatedPages(m.store, AT_ONCE);
  for (let pages = next(); pages.length > 0; pages = next())
    for (const page of pages) {
      if (signal.aborted) return made;
      done.edits += await writePage(m, page);
      markPageWritten(m.store, page);
      made.push(page);
    }
  return made;
}

/** Returns how many edits of people came in between. */
async function writePage(m: Maintenance, page: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const text = renderPage(m, page);
    const edit = await m.pages.put(page, text);
    if (edit === null) {
      if (isPageErased(m.store, page)) m.pages.eraseEarlier(page, text);
      return tries - 1;
    }
    await recordEdits(m, [edit]);
    submitRequests(m);
    if (tries === MOST_TRIES)
      throw new OkaError('refused', `.oka/${page} changes faster than it can be written`, {
        fix: 'Close whatever writes it; the next pass tries again.',
      });
  }
}

/** The page as the rows define it; null when no part has anything to show on it. */
function renderPage(m: Pick<Maintenance, 'store' | 'parts' | 'pages'>, name: string): string | null {
  const rows = readOnly(m.store);
  let page: Page | null | undefined;
  for (const part of m.parts) page ??= part.page?.(name, rows);
  return m.pages.text(page ?? null, name, rows);
}

/** Drawing conclusions and rendering pages must not change rows. */
export function readOnly(rows: Rows): Rows {
  const refuse = (): never => {
    throw new Error('rows change only by events');
  };
  return { get: (key) => rows.get(key), each: (prefix, range) => rows.each(prefix, range), put: refuse };
}

function endlessConclusions({ name }: Part): Error {
  return new Error(`the part "${name}" concludes without end; what it concluded last is in the maintenance ledger`);
}
