/** Rows by key: what a fold over the ledgers has to remember, and what a query reads. Plain JSON in, plain JSON out. */

export type Range = {
  /** Only keys behind this one, and only keys before this one; both are whole keys and exclusive. */
  after?: string;
  before?: string;
  /** From the last key to the first. */
  reverse?: boolean;
  limit?: number;
};

export type Rows = {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- whoever stores a row knows its type
  get<T>(key: string): T | undefined;
  /** Null removes the row. */
  put(key: string, value: unknown): void;
  /** The rows below a prefix, ordered by key (code units). */
  each<T>(prefix: string, range?: Range): Iterable<[key: string, value: T]>;
  /** What folds remember until the end of the transaction, by the name of the view; there is none outside of one. */
  readonly memo?: Memo | undefined;
  /** Texts that are found by their words; a store for folds that have none has no index of them. */
  readonly texts?: Texts | undefined;
};

export type Texts = {
  /** Null removes the text. A text that is put again counts as the latest. */
  put(key: string, text: string | null): void;
  /** Keys of the texts that have all of the words, or words that begin so; the latest first. Words as in text-words.ts. */
  find(words: readonly string[]): Iterable<string>;
};

export type Memo = Map<string, Map<string, unknown>>;

/** What a view remembers until the end of the transaction, by names of its own; null outside of a transaction. */
export function memoOf<T>({ memo }: Rows, view: string): Map<string, T> | null {
  if (memo === undefined) return null;
  const known = memo.get(view);
  if (known !== undefined) return known as Map<string, T>;
  const fresh = new Map<string, T>();
  memo.set(view, fresh);
  return fresh;
}
