/** What a pass would do, seen on a copy of the book. Writes nothing, needs no pen. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openArtifacts } from '../../ledger/artifacts.ts';
import type { Part } from '../../memory/book.ts';
import type { Event, NewEvent } from '../../schema/event.ts';
import { loadConfig } from '../settings.ts';
import type { Home } from '../../schema/home.ts';
import { Books, Damaged } from './books.ts';
import { catchUp, durableEnd } from './catch-up.ts';
import { madeBy, withOwn } from './open-maintenance.ts';
import { looking } from './pass.ts';
import { partsOf } from './parts.ts';
import { booksFile } from './maintenance-folder.ts';

export type Foreseen = { events: number; concluded: Event[]; pages: string[] };

/** Of what follows from its own conclusions only the first step is seen. */
export async function foresee(home: Home, signal: AbortSignal, given?: readonly Part[]): Promise<Foreseen> {
  const config = await loadConfig(home);
  const parts = withOwn(given ?? partsOf(config.maintenance));
  const maker = madeBy(parts, config);
  const folder = mkdtempSync(join(tmpdir(), 'oka-foresee-'));
  try {
    return await seen(home, parts, Books.copyOf(booksFile(home), maker, join(folder, 'books.sqlite')), signal).catch(
      (error: unknown) => {
        if (!(error instanceof Damaged)) throw error;
        return seen(home, parts, Books.open(join(folder, 'anew.sqlite'), maker), signal);
      },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function seen(home: Home, parts: readonly Part[], books: Books, signal: AbortSignal): Promise<Foreseen> {
  try {
    const artifacts = openArtifacts(join(home.oka, 'artifacts'), (text) => text);
    const end = await durableEnd(home.ledgers.run, books);
    const events = await catchUp(books, { ledgers: home.ledgers, artifacts, parts }, end, signal);
    const now = new Date().toISOString();
    const concluded = parts.flatMap((part) => part.conclude?.(looking(books), { now, read: end }) ?? []);
    return { events, concluded: concluded.map((event) => asWritten(event, now)), pages: books.touched() };
  } finally {
    books.close();
  }
}

/** An event that has no place in a ledger yet. */
function asWritten({ type, data, run = null, cause = null }: NewEvent, at: string): Event {
  return { seq: 0, type, run, at, pen: 'maintenance', cause, v: 1, data } as Event;
}
