/**
 * Owns: the shape of a part that learns from both ledgers, and of the pages that it shows.
 * Does not own: how rows are stored and in which order events come (ledger/), nor when a pass runs (daemon/maintain).
 *
 * B1 Rows follow from the events alone, in their one order (V1 in schema/view.ts). Rows that are lost are folded again
 *    from the first event on.
 * B2 A part concludes from the rows and writes down what it concluded as events; folding those removes the reason, so
 *    that concluding again gives nothing.
 */
import type { NewEvent } from '../schema/event.ts';
import type { Rows } from '../schema/rows.ts';
import type { View } from '../schema/view.ts';

export type Pass = {
  /** When the pass began, in UTC. */
  now: string;
  /** The last run event that was read. */
  read: number;
};

/** One subject that maintenance learns about: a view that also draws conclusions and shows pages. */
export type Part = Pick<View, 'name' | 'wants' | 'take'> & {
  /** B2. Pure. */
  conclude?(rows: Rows, pass: Pass): NewEvent[];
  /** The page of this name, if it is one of this part; null when there is nothing to show. Pure. */
  page?(page: string, rows: Rows): Page | null | undefined;
};

/** One line of a page. A line with a mark stands for something a person may strike out, change or tick. */
export type PageLine = { text: string; mark: string | null };
export type Page = { lines: readonly PageLine[] };

export const plain = (text: string): PageLine => ({ text, mark: null });

const OUTDATED = 'page-outdated/';

/** Says that a page no longer shows what the rows say; it is written again at the end of the pass. */
export const touchPage = (rows: Rows, page: string): void => rows.put(`${OUTDATED}${page}`, true);

export const pageIsWritten = (rows: Rows, page: string): void => rows.put(`${OUTDATED}${page}`, null);

/** Pages that have to be written again. */
export const outdatedPages = (rows: Rows, limit = Number.POSITIVE_INFINITY): string[] =>
  Array.from(rows.each(OUTDATED, { limit }), ([key]) => key.slice(OUTDATED.length));
