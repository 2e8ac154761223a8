/**
 * Owns: what people wrote on pages, according to the ledger, and the requests that follow from it.
 *
 * 1. People's lines are stored as last recorded; only another edit of theirs changes them.
 * 2. A request is pending until the worker has received it. Its id follows from the edit, so sending it twice has no
 *    further effect.
 * 3. A line that a person removed or changed is not shown again while its fact is still to be forgotten.
 */
import type { Intake } from '../../../core/schema/intake.ts';
import type { Page, Part } from '../../../core/schema/learning-part.ts';
import { markPageOutdated } from '../../../kit/learning/learning.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { intakesForEdit } from './edit-intakes.ts';
import {
  selectFactLines,
  factMarkOfLine,
  fromFactMark,
  toFactMark,
  topicOfPage,
} from '../../../kit/learning/own-fact.ts';
import { type EventOf, handleByType, type Handlers } from '../event-handlers.ts';
import { composeText } from '../../../kit/learning/page-text.ts';

export const peoplePart: Part = {
  name: 'people',
  take: (read, rows) => void handleByType(HANDLERS)(read.event, rows),
  compose: composePage,
  requests: pendingRequests,
};

const peoplesLines = (rows: Rows, page: string): string[] => rows.get<string[]>(`people/lines/${page}`) ?? [];

/** The text of a page including people's lines; null when there is nothing to show. */
export function composePage(page: Page | null, name: string, rows: Rows): string | null {
  const lines = peoplesLines(rows, name);
  const text = composeText(page === null ? null : { lines: visibleLines(page, name, lines, rows) }, lines);
  return text === '' ? null : text;
}

/** Renders a page by name and composes its text. */
export function renderPageText(parts: readonly Part[], name: string, rows: Rows): string | null {
  let page: Page | null | undefined;
  for (const part of parts) page ??= part.page?.(name, rows);
  return composePage(page ?? null, name, rows);
}

/** Leaves out facts that a person's own line states already, and removed ones. */
function visibleLines(page: Page, name: string, lines: readonly string[], rows: Rows): Page['lines'] {
  if (topicOfPage(name) === null) return page.lines;
  const own = new Set(selectFactLines(lines).flatMap((line) => factMarkOfLine(name, line) ?? []));
  return page.lines.filter(({ mark }) => {
    const fact = mark === null ? null : fromFactMark(mark);
    return fact === null || (!own.has(toFactMark(fact)) && rows.get(`people/struck/${fact}`) === undefined);
  });
}

/** Requests that follow from edits and are not received yet. */
export function* pendingRequests(rows: Rows): Iterable<{ id: string; intake: Intake }> {
  for (const [key, intake] of rows.each<Intake>(REQUESTS)) yield { id: key.slice(REQUESTS.length), intake };
}

const REQUESTS = 'people/wish/';

const HANDLERS: Handlers<[Rows], void> = {
  'page.edited': recordEdit,
  'intake.received': ({ data }, rows) => rows.put(`${REQUESTS}${data.id}`, null),
  'intake.rejected': ({ data }, rows) => rows.put(`${REQUESTS}${data.name.replace(/\.json$/, '')}`, null),
  'fact.kept': ({ data }, rows) => [data.id, ...data.supersedes].forEach((fact) => clearStruck(fact, rows)),
  'fact.forgotten': ({ data }, rows) => data.facts.forEach((fact) => clearStruck(fact, rows)),
};

function recordEdit({ seq, data }: EventOf<'page.edited'>, rows: Rows): void {
  for (const [index, intake] of intakesForEdit(data, rows).entries())
    rows.put(`${REQUESTS}page-${seq}-${index}`, intake);
  const marks = topicOfPage(data.page) === null ? [] : [...data.removed, ...data.changed.map(({ mark }) => mark)];
  for (const fact of marks.flatMap((mark) => fromFactMark(mark) ?? [])) rows.put(`people/struck/${fact}`, data.page);
  rows.put(`people/lines/${data.page}`, data.lines.length === 0 ? null : data.lines);
  markPageOutdated(rows, data.page);
}

function clearStruck(fact: string, rows: Rows): void {
  const page = rows.get<string>(`people/struck/${fact}`);
  if (page === undefined) return;
  rows.put(`people/struck/${fact}`, null);
  markPageOutdated(rows, page);
}
