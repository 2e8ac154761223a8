/**
 * The shape of a part that learns from both ledgers, and of the pages that it shows. Rooms contribute parts; maintenance
 * folds them (rooms/maintenance).
 *
 * B1 Rows follow from the events alone, in their one order (V1 in view.ts). Rows that are lost are folded again from the
 *    first event on.
 * B2 A part concludes from the rows and writes down what it concluded as events; folding those removes the reason, so
 *    that concluding again gives nothing.
 */
import type { NewEvent } from './event.ts';
import type { Rows } from './rows.ts';
import type { View } from './view.ts';

export type Pass = {
  /** When the pass began, in UTC. */
  now: string;
  /** The last run event that was read. */
  read: number;
};

/** One subject that maintenance learns about: a view that also draws conclusions and shows pages. */
export type Part = Pick<View, 'name' | 'wants' | 'take'> & {
  /** Returns what follows from the rows (B2). Pure. */
  conclude?(rows: Rows, pass: Pass): NewEvent[];
  /** The page of this name, if it is one of this part; null when there is nothing to show. Pure. */
  page?(page: string, rows: Rows): Page | null | undefined;
};

/** One line of a page. A line with a mark represents something a person may strike out, change or tick. */
export type PageLine = { text: string; mark: string | null };
export type Page = { lines: readonly PageLine[] };
