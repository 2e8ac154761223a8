/**
 * Owns: one pass of maintenance: read what is new, conclude, write the pages that are no longer true.
 *
 * M1 What is concluded is in the ledger before anything is built on it; a pass that dies anywhere is made up for by the
 *    next one, and one more pass after that concludes nothing (B2).
 * M2 What a person wrote on a page is in the ledger before the page is replaced.
 * M3 The cost depends on what is new.
 * M4 Told to stop, it ends after the batch at hand.
 * M5 What people ask for by editing a page is asked of the worker, under a name by which asking twice is asking once.
 */
import { join } from 'node:path';
import { submit } from '../../intake/submit-request.ts';
import { lstatIfPresent } from '../../ledger/disk.ts';
import { catchUp, withRepair } from '../../ledger/follower.ts';
import type { Page, Part } from '../../schema/learning-part.ts';
import { outdatedPages, markPageWritten } from '../../memory/learning.ts';
import type { Rows } from '../../schema/rows.ts';
import { pendingRequests } from '../../memory/pages/people-part.ts';
import { OkaError } from '../../schema/errors.ts';
import type { NewEvent } from '../../schema/event.ts';
import type { Maintenance } from './open-maintenance.ts';
import type { PageEdit } from './pages.ts';
import { wordBetter } from './reword-facts.ts';

export type Passed = { events: number; concluded: number; edits: number; pages: number; isWhole: boolean };

/** Parts that go on concluding are broken: taking a conclusion in has to remove its reason. */
const MOST_ROUNDS = 20;
/** A person who saves a page while it is being replaced is not outrun for ever. */
const MOST_TRIES = 5;
const AT_ONCE = 256;

export async function pass(m: Maintenance, signal: AbortSignal, { isConcluding = true } = {}): Promise<Passed> {
  return healing(m, () => passed(m, signal, isConcluding));
}

/** Rows that are damaged, or do not fit the ledgers, are folded again, once. */
export function healing<T>(m: Maintenance, work: () => Promise<T>): Promise<T> {
  return withRepair({ reset: m.restart }, work);
}

async function passed(m: Maintenance, signal: AbortSignal, isConcluding: boolean): Promise<Passed> {
  const now = new Date(m.clock()).toISOString();
  const done: Passed = { events: await readOn(m, signal), concluded: 0, edits: 0, pages: 0, isWhole: false };
  if (signal.aborted) return done;
  done.edits += await noteEdits(m, await m.pages.look((page) => textOf(m, page)));
  ask(m);
  if (isConcluding) done.concluded = await conclude(m, now, signal);
  if (signal.aborted) return done;
  done.pages = (await writePages(m, signal, done)).length;
  done.isWhole = !signal.aborted;
  if (done.isWhole) m.store.setNote('passed', now);
  m.store.setNote('position', m.ledger.end);
  return done;
}

/** Reads to the end of both ledgers. */
export async function readOn(m: Maintenance, signal: AbortSignal): Promise<number> {
  return catchUp(m.store, m.sources, { durable: true, signal });
}

/** M1. What the parts conclude from now on sees it. */
export async function write(m: Maintenance, events: readonly NewEvent[]): Promise<void> {
  await m.append(events);
  await catchUp(m.store, m.sources, { to: m.store.cursor('run').seq, missingCause: 'refuse' });
}

async function conclude(m: Maintenance, now: string, signal: AbortSignal): Promise<number> {
  const concluded: NewEvent[] = [];
  for (let round = 1; !signal.aborted; round += 1) {
    const before = concluded.length;
    for (const part of m.parts) {
      const events = part.conclude?.(readOnly(m.store), { now, read: m.store.cursor('run').seq }) ?? [];
      if (events.length > 0) await write(m, events);
      concluded.push(...events);
      if (events.length > 0 && round === MOST_ROUNDS) throw endless(part);
    }
    if (concluded.length === before) break;
  }
  return concluded.length + (await wordBetter(m, concluded, (events) => write(m, events)));
}

/** M2. */
async function noteEdits(m: Maintenance, edits: readonly PageEdit[]): Promise<number> {
  if (edits.length === 0) return 0;
  await write(
    m,
    edits.map((data): NewEvent => ({ type: 'page.edited', data })),
  );
  return edits.length;
}

/** M5. What the worker has not taken yet stays as it lies there. */
function ask(m: Maintenance): void {
  const folder = join(m.home.oka, 'intake');
  for (const { id, intake } of pendingRequests(m.store))
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
    const edit = await m.pages.put(page, textOf(m, page));
    if (edit === null) return tries - 1;
    await noteEdits(m, [edit]);
    ask(m);
    if (tries === MOST_TRIES)
      throw new OkaError('refused', `.oka/${page} changes faster than it can be written`, {
        fix: 'Close whatever writes it; the next pass tries again.',
      });
  }
}

/** The page as the rows have it; null when no part has anything to show there. */
export function textOf(m: Pick<Maintenance, 'store' | 'parts' | 'pages'>, name: string): string | null {
  const rows = readOnly(m.store);
  let page: Page | null | undefined;
  for (const part of m.parts) page ??= part.page?.(name, rows);
  return m.pages.text(page ?? null, name, rows);
}

/** Concluding and showing pages change nothing. */
export function readOnly(rows: Rows): Rows {
  const refuse = (): never => {
    throw new Error('rows change only by events');
  };
  return { get: (key) => rows.get(key), each: (prefix, range) => rows.each(prefix, range), put: refuse };
}

function endless({ name }: Part): Error {
  return new Error(`the part "${name}" concludes without end; what it concluded last is in the maintenance ledger`);
}
