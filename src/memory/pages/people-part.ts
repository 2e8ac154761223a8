/**
 * Owns: what people wrote on pages, according to the ledger, and the requests that follow from it.
 *
 * 1. People's lines are stored as last recorded; only another edit of theirs changes them.
 * 2. A request is pending until the worker has received it. Its id follows from the edit, so sending it twice has no
 *    further effect.
 * 3. A line that a person removed or changed is not shown again while its fact is still to be forgotten.
 */
import type { Intake } from '../../schema/intake.ts';
import type { Page, Part } from '../../schema/learning-part.ts';
import { touchPage } from '../learning.ts';
import type { Rows } from '../../schema/rows.ts';
import { intakesForEdit } from './edit-intakes.ts';
import { selectFactLines, factMarkOfLine, fromFactMark, toFactMark, topicOfPage } from './own-fact.ts';
import { type EventOf, handleByType, type Handlers } from '../event-handlers.ts';
import { composeText } from './page-text.ts';

export const peoplePart: Part = { name: 'people', take: (read, book) => void handleByType(HANDLERS)(read.event, book) };

export const peoplesLines = (book: Rows, page: string): string[] => book.get<string[]>(`people/lines/${page}`) ?? [];

/** The text of a page including people's lines; null when there is nothing to show. */
export function composePage(page: Page | null, name: string, book: Rows): string | null {
  const lines = peoplesLines(book, name);
  const text = composeText(page === null ? null : { lines: visibleLines(page, name, lines, book) }, lines);
  return text === '' ? null : text;
}

/** Renders a page by name and composes its text. */
export function renderPageText(parts: readonly Part[], name: string, book: Rows): string | null {
  let page: Page | null | undefined;
  for (const part of parts) page ??= part.page?.(name, book);
  return composePage(page ?? null, name, book);
}

/** Leaves out facts that a person's own line states already, and removed ones. */
function visibleLines(page: Page, name: string, lines: readonly string[], book: Rows): Page['lines'] {
  if (topicOfPage(name) === null) return page.lines;
  const own = new Set(selectFactLines(lines).flatMap((line) => factMarkOfLine(name, line) ?? []));
  return page.lines.filter(({ mark }) => {
    const fact = mark === null ? null : fromFactMark(mark);
    return fact === null || (!own.has(toFactMark(fact)) && book.get(`people/struck/${fact}`) === undefined);
  });
}

/** Requests that follow from edits and are not received yet. */
export function* pendingRequests(book: Rows): Iterable<{ id: string; intake: Intake }> {
  for (const [key, intake] of book.each<Intake>(REQUESTS)) yield { id: key.slice(REQUESTS.length), intake };
}

const REQUESTS = 'people/wish/';

const HANDLERS: Handlers<[Rows], void> = {
  'page.edited': recordEdit,
  'intake.received': ({ data }, book) => book.put(`${REQUESTS}${data.id}`, null),
  'intake.rejected': ({ data }, book) => book.put(`${REQUESTS}${data.name.replace(/\.json$/, '')}`, null),
  'fact.kept': ({ data }, book) => [data.id, ...data.supersedes].forEach((fact) => clearStruck(fact, book)),
  'fact.forgotten': ({ data }, book) => data.facts.forEach((fact) => clearStruck(fact, book)),
};

function recordEdit({ seq, data }: EventOf<'page.edited'>, book: Rows): void {
  for (const [index, intake] of intakesForEdit(data, book).entries())
    book.put(`${REQUESTS}page-${seq}-${index}`, intake);
  const marks = topicOfPage(data.page) === null ? [] : [...data.removed, ...data.changed.map(({ mark }) => mark)];
  for (const fact of marks.flatMap((mark) => fromFactMark(mark) ?? [])) book.put(`people/struck/${fact}`, data.page);
  book.put(`people/lines/${data.page}`, data.lines.length === 0 ? null : data.lines);
  touchPage(book, data.page);
}

function clearStruck(fact: string, book: Rows): void {
  const page = book.get<string>(`people/struck/${fact}`);
  if (page === undefined) return;
  book.put(`people/struck/${fact}`, null);
  touchPage(book, page);
}
