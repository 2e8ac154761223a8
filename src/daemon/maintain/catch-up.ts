/**
 * Owns: the one order of the events of both ledgers, and taking them into the book.
 *
 * C1 What maintenance wrote after it had read run event R comes behind R and before R + 1 (B1 in memory/book.ts), now
 *    and whenever the book is made again. What a ledger says about itself has no place in this order and is no part's.
 * C2 Nothing is read that a power cut could still take back: whoever builds on it would refer to what never was.
 * C3 Where a book stopped is checked against the ledger: one that is about other events is made anew.
 */
import { closeSync, constants, fdatasync, openSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { explained, lookAt } from '../../ledger/disk.ts';
import { readEvents } from '../../ledger/read.ts';
import { lastSeqOf } from '../../ledger/seek.ts';
import type { Part } from '../../memory/book.ts';
import { OkaError } from '../../schema/errors.ts';
import type { Line, Pen } from '../../schema/event.ts';
import type { ArtifactStore } from '../../schema/ports.ts';
import { type Books, type Cursor, Damaged } from './books.ts';

export type Sources = {
  ledgers: Readonly<Record<Pen, string>>;
  artifacts: Pick<ArtifactStore, 'get'>;
  parts: readonly Part[];
};

const AT_ONCE = 500;

/** Takes in what is new, run events up to `to`. Returns how many events there were. */
export async function catchUp(books: Books, sources: Sources, to: number, signal: AbortSignal): Promise<number> {
  const from = { run: books.cursor('run'), maintenance: books.cursor('maintenance') };
  const runs = behind(sources.ledgers.run, from.run, to);
  const own = behind(sources.ledgers.maintenance, from.maintenance, Number.POSITIVE_INFINITY);
  const events = inOrder(runs, own, from.run.seq);
  let taken = 0;
  try {
    while (!signal.aborted) {
      const { count, isMore } = await books.together(() => takeSome(events, books, sources));
      taken += count;
      if (!isMore) break;
      await setImmediate(); // whoever listens for a heartbeat or a signal gets a turn
    }
  } finally {
    await Promise.all([events.return(undefined), runs.return(undefined), own.return(undefined)]);
  }
  return taken;
}

/** One batch, with the cursors that belong to it. */
async function takeSome(
  events: AsyncGenerator<Line>,
  books: Books,
  sources: Sources,
): Promise<{ count: number; isMore: boolean }> {
  const last = new Map<Pen, Cursor>();
  let [count, isMore] = [0, true];
  while (count < AT_ONCE && isMore) {
    const next = await events.next();
    if (next.done === true) isMore = false;
    else {
      await takeIn(next.value, books, sources);
      last.set(next.value.pen, { seq: next.value.seq, hash: next.value.hash });
      count += 1;
    }
  }
  for (const [pen, cursor] of last) books.putCursor(pen, cursor);
  return { count, isMore };
}

async function takeIn(event: Line, books: Books, { parts, artifacts }: Sources): Promise<void> {
  if (isOfLedger(event)) return;
  const texts = new Map<string, string | null>();
  for (const part of parts) {
    for (const sha256 of part.wants?.(event, books) ?? [])
      if (!texts.has(sha256)) texts.set(sha256, await textOf(sha256, artifacts));
    part.take({ event, text: (sha256) => texts.get(sha256) ?? null }, books);
  }
}

/** One that is lost stays lost: the ledger still says that there was one. */
function textOf(sha256: string, artifacts: Sources['artifacts']): Promise<string | null> {
  return artifacts.get({ sha256 }).then(
    (bytes) => bytes.toString('utf8'),
    () => null,
  );
}

/** C1. */
async function* inOrder(runs: AsyncGenerator<Line>, own: AsyncGenerator<Line>, read: number): AsyncGenerator<Line> {
  let reached = read;
  let [run, mine] = [await runs.next(), await own.next()];
  for (;;) {
    if (mine.done !== true && placeOf(mine.value) <= reached) {
      yield mine.value;
      mine = await own.next();
    } else if (run.done !== true) {
      yield run.value;
      reached = run.value.seq;
      run = await runs.next();
    } else if (mine.done !== true) throw behindItself(reached, placeOf(mine.value));
    else return;
  }
}

/** The run event behind which it comes. */
const placeOf = (event: Line): number => (isOfLedger(event) ? 0 : (event.cause ?? 0));

const isOfLedger = ({ pen, type }: Line): boolean => pen === 'maintenance' && type.startsWith('ledger.');

/** C3. What comes behind a cursor, which is the first that is read. */
async function* behind(file: string, { seq, hash }: Cursor, to: number): AsyncGenerator<Line> {
  let isFound = seq === 0;
  for await (const line of readEvents(file, { from: Math.max(1, seq), to })) {
    if (line.seq > seq) yield line;
    else if (line.hash !== hash) throw new Damaged('it is about other events');
    else isFound = true;
  }
  if (!isFound) throw new Damaged('it is about a longer ledger');
}

/** C2. The last run event that is safe on disk now; it is flushed here, since its writer may not have done so yet. */
export async function durableEnd(file: string, books: Books): Promise<number> {
  const end = lastSeqOf(file);
  const { seq } = books.cursor('run');
  if (end < seq) throw behindItself(end, seq);
  if (end === 0 && (lookAt(file)?.size ?? 0) === 0) return 0;
  if (end === 0)
    throw new OkaError('ledger-damaged', `${file}: its last record cannot be read`, { fix: 'Run: oka verify' });
  await flushed(file);
  return end;
}

const flush = promisify(fdatasync);

async function flushed(file: string): Promise<void> {
  try {
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    await flush(fd).finally(() => closeSync(fd));
  } catch (error) {
    throw explained(error, file);
  }
}

function behindItself(end: number, known: number): OkaError {
  return new OkaError(
    'refused',
    `the run ledger ends at event ${end}, but event ${known} has been learned from already`,
    { fix: 'Restore run_ledger.jsonl from a backup or replica, or move .oka/maintenance away to learn anew.' },
  );
}
