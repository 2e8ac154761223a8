/**
 * The shape of a part that learns from both ledgers, and of the pages that it shows. Rooms contribute parts; maintenance
 * folds them (rooms/maintenance).
 *
 * B1 Rows follow from the events alone, in their one order (V1 in view.ts). Rows that are lost are folded again from the
 *    first event on.
 * B2 A part concludes from the rows and writes down what it concluded as events; folding those removes the reason, so
 *    that concluding again gives nothing.
 */
import type { Config } from './config.ts';
import type { NewEvent } from './event.ts';
import type { Home } from './home.ts';
import type { Intake } from './intake.ts';
import type { Clock } from './ports.ts';
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
  /** The text of a page of any part, with the lines that people added to it; null when there is nothing to show. Pure. */
  compose?(page: Page | null, name: string, rows: Rows): string | null;
  /** Requests to the worker that follow from the rows, under ids that make a second one harmless. Pure. */
  requests?(rows: Rows): Iterable<{ id: string; intake: Intake }>;
  /** Improves what a pass has concluded, where that takes more than the rows. Returns how much was improved. */
  improve?(concluded: readonly NewEvent[], pass: Improving): Promise<number>;
};

/** What a part may use to improve conclusions. */
export type Improving = {
  home: Home;
  config: Config;
  rows: Pick<Rows, 'get'>;
  clock: Clock;
  /** The number of the last record of the maintenance ledger. */
  last: number;
  write: (events: readonly NewEvent[]) => Promise<void>;
  log: (line: string) => void;
};

/** One line of a page. A line with a mark represents something a person may strike out, change or tick. */
export type PageLine = { text: string; mark: string | null };
export type Page = { lines: readonly PageLine[] };
