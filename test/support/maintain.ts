/** Homes on which maintenance is tried, and parts of its own that show whether an event was lost or doubled. */
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { learningFile } from '../../src/kit/home/maintenance-folder.ts';
import { type Ledger, openLedger } from '../../src/core/ledger/ledger.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Part } from '../../src/core/schema/learning-part.ts';
import { markPageOutdated } from '../../src/kit/learning/learning.ts';
import { composePage } from '../../src/rooms/memory/pages/people-part.ts';
import type { Rows } from '../../src/core/schema/rows.ts';
import { plain } from '../../src/kit/learning/learning.ts';
import type { Event, NewEvent } from '../../src/core/schema/event.ts';

export type MaintainedHome = { home: Home; ledger: Ledger; [Symbol.asyncDispose](): Promise<void> };

export async function maintainedHome(): Promise<MaintainedHome> {
  const home = homeAt(mkdtempSync(join(tmpdir(), 'oka-maintain-')));
  setUp(home);
  const ledger = await openLedger(home.ledgers.run, 'run', { redact: (text) => text });
  return {
    home,
    ledger,
    [Symbol.asyncDispose]: async () => {
      await ledger.close();
      rmSync(home.dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** So many events of a few runs; the same for the same numbers. */
export function happenings(from: number, count: number): NewEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'run.paused',
    run: `r${(from + index) % 7}`,
    data: { reason: `event ${from + index}` },
  }));
}

const EVERY = 10;
const factOf = (run: string, number: number): string => `tally-${run}-${number}`;

/** Counts the events of each run, and concludes a fact from every tenth, and another one from every third of those. */
export const tally: Part = {
  name: 'tally',
  take: ({ event }, book) => {
    if (event.pen === 'run' && event.run !== null) count(event.run, book);
    if (event.type === 'fact.kept' && event.data.id.startsWith('tally-')) keep(event.data.id, book);
    if (event.type === 'page.edited') book.put(`people/lines/${event.data.page}`, event.data.lines);
    if (event.type === 'page.edited') markPageOutdated(book, event.data.page);
  },
  conclude: (book) => Array.from(book.each<string>('due/'), ([, id]) => factEvent(id)),
  compose: composePage,
  page: (page, book) => {
    const run = /^brain\/LEARNINGS-(r\d)\.md$/.exec(page)?.[1];
    if (run === undefined) return undefined;
    const known = Array.from(book.each<string>(`known/${run}/`), ([, id]) => ({ text: `- ${id}`, mark: `fact:${id}` }));
    return { lines: [plain(`# ${run}`), plain(`${book.get<number>(`n/${run}`) ?? 0} events`), ...known] };
  },
};

function count(run: string, book: Rows): void {
  const number = (book.get<number>(`n/${run}`) ?? 0) + 1;
  book.put(`n/${run}`, number);
  if (number % EVERY === 0) book.put(`due/${run}/${number}`, factOf(run, number));
  markPageOutdated(book, `brain/LEARNINGS-${run}.md`);
}

function keep(id: string, book: Rows): void {
  const [, run = '', number = ''] = id.split('-');
  const times = (book.get<number>(`told/${id}`) ?? 0) + 1;
  book.put(`told/${id}`, times);
  book.put(`due/${run}/${number}`, null);
  book.put(`known/${run}/${number.padStart(9, '0')}`, id);
  if (number.endsWith('x') || Number(number) % (3 * EVERY) !== 0) return;
  if (times === 1) book.put(`due/${run}/${number}x`, `${id}x`); // what follows from a conclusion
}

function factEvent(id: string): NewEvent {
  return { type: 'fact.kept', data: { id, namespace: 'tally', text: `${id} is known`, source: 'run' } };
}

/** Says in which order it was shown events. */
export const order: Part = {
  name: 'order',
  take: ({ event }, book) =>
    book.put('order', hash('sha256', `${book.get<string>('order') ?? ''} ${event.pen} ${event.seq} ${event.cause}`)),
};

export const testParts = [order, tally] as const;

/** Everything that was learned, without the times of reading. */
export function dumpOf(home: Home): { entries: Record<string, string>; cursors: unknown[] } {
  const db = new DatabaseSync(learningFile(home), { readOnly: true });
  try {
    const rows = db.prepare('SELECT key, value FROM row ORDER BY key').all();
    return {
      entries: Object.fromEntries(rows.map(({ key, value }) => [String(key), String(value)])),
      cursors: db
        .prepare('SELECT * FROM cursor ORDER BY pen')
        .all()
        .map((row) => ({ ...row })),
    };
  } finally {
    db.close();
  }
}

export async function writtenPages(home: Home): Promise<Event[]> {
  return Array.fromAsync(readEvents(home.ledgers.maintenance));
}

/** The facts that were concluded, sorted; one that was concluded twice is listed twice. */
export async function conclusions(home: Home): Promise<string[]> {
  const ids = (await writtenPages(home)).flatMap((event) => (event.type === 'fact.kept' ? [event.data.id] : []));
  return ids.toSorted();
}
