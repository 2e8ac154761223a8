/**
 * A view: a fold over both ledgers that people query, stored as rows so that a query does not depend on the length of
 * history. A room declares its views; the worker alone stores them, any other process folds the tail in memory.
 *
 * V1 Rows follow from the events alone, in their one order: an event of the maintenance ledger comes right after the
 *    run event that it names as its cause. A store that is lost, damaged or of another version is rebuilt.
 */
import type { Event, EventType } from './event.ts';
import type { Rows } from './rows.ts';

/** An event, and the artifacts that a view asked for with it, by hash; null when one is lost. */
export type Read = { event: Event; text: (sha256: string) => string | null };

/** Something that a search has found. */
export type Found = {
  /** The noun, such as run or fact. */
  kind: string;
  /** Its name, for the commands that take one. */
  name: string;
  text: string;
  at: string;
  run: string | null;
  /** How it stands, such as done or promoted; null where that says nothing. */
  state: string | null;
};

export type View = {
  /** Also the prefix of its keys. */
  readonly name: string;
  /** Raised whenever its rows change shape or meaning, so that stored rows are rebuilt. */
  readonly version: number;
  /** The events that it handles; all when left out. Other events cost nothing. */
  readonly types?: readonly EventType[];
  /** Hashes of the artifacts that are needed to take an event in. */
  wants?(event: Event, rows: Rows): readonly string[];
  /** Pure but for the rows. */
  take(read: Read, rows: Rows): void;
  /** For a view that puts texts under keys that begin with its name and a slash: what to show for one that was found. */
  found?(key: string, rows: Rows): Found | null;
};
