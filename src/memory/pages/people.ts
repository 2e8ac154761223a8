/**
 * Owns: what people wrote on pages, as the ledger knows it, and what follows from it for others to do.
 *
 * 1. Lines of people are in the book as they were last recorded; nothing but another edit of theirs changes them.
 * 2. What an edit asks for is kept until the worker has taken it in, under a name that follows from the edit: asking
 *    twice is asking once.
 * 3. What a person struck or said differently is not shown again while it waits to be forgotten.
 */
import type { Intake } from '../../schema/intake.ts';
import { type Page, type Part, touchPage } from '../learning.ts';
import type { Rows } from '../../schema/rows.ts';
import { intakesFor } from './intakes.ts';
import { factLines, factMark, factOfMark, markOfFact, topicOf } from './own-fact.ts';
import { type EventOf, handleByType, type Handlers } from '../event-handlers.ts';
import { textOf } from './text.ts';

export const people: Part = { name: 'people', take: (read, book) => void handleByType(HANDLERS)(read.event, book) };

export const linesOf = (book: Rows, page: string): string[] => book.get<string[]>(`people/lines/${page}`) ?? [];

/** The text of a page with the lines of people; null when there is nothing to show. */
export function pageText(page: Page | null, name: string, book: Rows): string | null {
  const lines = linesOf(book, name);
  const text = textOf(page === null ? null : { lines: shown(page, name, lines, book) }, lines);
  return text === '' ? null : text;
}

/** The same, for whoever has parts and a book. */
export function rendered(parts: readonly Part[], name: string, book: Rows): string | null {
  let page: Page | null | undefined;
  for (const part of parts) page ??= part.page?.(name, book);
  return pageText(page ?? null, name, book);
}

/** A fact that stands in a person's own line is not told twice. */
function shown(page: Page, name: string, lines: readonly string[], book: Rows): Page['lines'] {
  if (topicOf(name) === null) return page.lines;
  const own = new Set(factLines(lines).flatMap((line) => factMark(name, line) ?? []));
  return page.lines.filter(({ mark }) => {
    const fact = mark === null ? null : factOfMark(mark);
    return fact === null || (!own.has(markOfFact(fact)) && book.get(`people/struck/${fact}`) === undefined);
  });
}

/** What people ask for by their edits and the worker has not taken in yet. */
export function* wishesIn(book: Rows): Iterable<{ id: string; intake: Intake }> {
  for (const [key, intake] of book.each<Intake>(WISHES)) yield { id: key.slice(WISHES.length), intake };
}

const WISHES = 'people/wish/';

const HANDLERS: Handlers<[Rows], void> = {
  'page.edited': takeEdit,
  'intake.received': ({ data }, book) => book.put(`${WISHES}${data.id}`, null),
  'intake.rejected': ({ data }, book) => book.put(`${WISHES}${data.name.replace(/\.json$/, '')}`, null),
  'fact.kept': ({ data }, book) => [data.id, ...data.supersedes].forEach((fact) => unstrike(fact, book)),
  'fact.forgotten': ({ data }, book) => data.facts.forEach((fact) => unstrike(fact, book)),
};

function takeEdit({ seq, data }: EventOf<'page.edited'>, book: Rows): void {
  for (const [index, intake] of intakesFor(data, book).entries()) book.put(`${WISHES}page-${seq}-${index}`, intake);
  const marks = topicOf(data.page) === null ? [] : [...data.removed, ...data.changed.map(({ mark }) => mark)];
  for (const fact of marks.flatMap((mark) => factOfMark(mark) ?? [])) book.put(`people/struck/${fact}`, data.page);
  book.put(`people/lines/${data.page}`, data.lines.length === 0 ? null : data.lines);
  touchPage(book, data.page);
}

function unstrike(fact: string, book: Rows): void {
  const page = book.get<string>(`people/struck/${fact}`);
  if (page === undefined) return;
  book.put(`people/struck/${fact}`, null);
  touchPage(book, page);
}
