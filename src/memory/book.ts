/**
 * Owns: what maintenance knows, kept by key, and the shape of a part that learns from both ledgers.
 * Does not own: how it is stored (daemon/maintain), nor in which order events come.
 *
 * B1 What is in a book follows from the events alone, in their one order: every event of the maintenance ledger comes
 *    right after the run event that it names as its cause. A book that is lost is made again from the first event on.
 * B2 A part concludes from the book and writes down what it concluded as events; taking those in removes the reason,
 *    so that concluding again gives nothing.
 */
import type { Event, NewEvent } from '../schema/event.ts';

export type Book = {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- who keeps something knows what it is
  get<T>(key: string): T | undefined;
  /** Plain JSON. Null takes it out. */
  put(key: string, value: unknown): void;
  /** What is kept below a prefix, in the order of the keys (by code unit). */
  each<T>(prefix: string): Iterable<[key: string, value: T]>;
  /** Says that a page is no longer what the book says; it is made anew at the end of the pass. */
  touch(page: string): void;
};

/** An event, and the artifacts that a part wanted to have with it, by hash; null when one is lost. */
export type Read = { event: Event; text: (sha256: string) => string | null };

export type Pass = {
  /** When the pass began, in UTC. */
  now: string;
  /** The last run event that was read. */
  read: number;
};

/** One subject that maintenance learns about. */
export type Part = {
  readonly name: string;
  /** Hashes of texts that are needed to take an event in. */
  wants?(event: Event, book: Book): readonly string[];
  /** B1. Pure but for the book. Sees the events of both pens. */
  take(read: Read, book: Book): void;
  /** B2. Pure. */
  conclude?(book: Book, pass: Pass): NewEvent[];
  /** The page of this name, if it is one of this part; null when there is nothing to show. Pure. */
  page?(page: string, book: Book): Page | null | undefined;
};

/** One line of a page. A line with a mark stands for something a person may strike out, change or tick. */
export type PageLine = { text: string; mark: string | null };
export type Page = { lines: readonly PageLine[] };

export const plain = (text: string): PageLine => ({ text, mark: null });

/** A book that lives in memory. */
export function bookInMemory(): Book & { readonly touched: ReadonlySet<string> } {
  const kept = new Map<string, string>();
  const touched = new Set<string>();
  return {
    touched,
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in Book
    get: <T>(key: string) => {
      const text = kept.get(key);
      return text === undefined ? undefined : (JSON.parse(text) as T);
    },
    put: (key, value) => void (value === null ? kept.delete(key) : kept.set(key, JSON.stringify(value))),
    each: function* <T>(prefix: string) {
      const keys = [...kept.keys()].filter((key) => key.startsWith(prefix)).toSorted();
      for (const key of keys) yield [key, JSON.parse(kept.get(key) ?? 'null') as T] as [string, T];
    },
    touch: (page) => void touched.add(page),
  };
}
